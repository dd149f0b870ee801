"""Gradient rules of activations, matrix products, layers and losses."""

from minitorch.study.rules.language import Rule, broadcast_rule, rule


def class_loss_rule(name: str) -> Rule:
    """The rule of the negative log-likelihood, of rows or of images."""
    return rule(
        name,
        "routes",
        "reduced(-(counts * self).sum(class_dim(self.shape)), reduction, total_weight)",
        "Only the log probability of the right class gets a gradient, and it is negative: more of "
        "it means less loss.",
        where={
            "chosen": "one_hot(target, self.shape, ignore_index)",
            "counts": "chosen if weight is None else chosen * per_channel(weight, self.shape)",
            "each": "to_classes(share(grad, reduction, total_weight), self.shape)",
        },
        self="-counts * each",
    )


ACTIVATIONS = [
    rule(
        "ReluBackward0",
        "gates",
        "where(self > 0, self, 0)",
        "The gradient passes where the input was positive. A unit that is never positive gets "
        "none at all: it is dead.",
        self="where(result > 0, grad, 0)",
    ),
    rule(
        "ThresholdBackward0",
        "gates",
        "where(self > threshold, self, value)",
        "The gradient passes where the input lay above the threshold.",
        self="where(self > threshold, grad, 0)",
    ),
    rule(
        "LeakyReluBackward0",
        "gates",
        "where(self > 0, self, negative_slope * self)",
        "Positive inputs let the gradient pass; others let a small part of it through.",
        self="where(self > 0, grad, negative_slope * grad)",
    ),
    rule(
        "LeakyReluBackward1",
        "gates",
        "where(self > 0, self, negative_slope * self)",
        "Positive inputs let the gradient pass; others let a small part of it through. The result "
        "has the input's sign, and is kept in its place.",
        self="where(result > 0, grad, negative_slope * grad)",
    ),
    rule(
        "PreluKernelBackward0",
        "gates",
        "where(self > 0, self, weight * self)",
        "Positive inputs let the gradient pass; others multiply it by the slope, and the slope "
        "gets the gradient times these inputs.",
        self="where(self > 0, grad, weight * grad)",
        weight="sum_to(where(self > 0, 0, self * grad), weight.shape)",
    ),
    rule(
        "EluBackward0",
        "gates",
        "where(self > 0, scale * self, scale * alpha * (exp(self * input_scale) - 1))",
        "Positive inputs let the gradient pass; for others it fades with the exponential.",
        self="grad * scale * where(self > 0, 1, alpha * input_scale * exp(self * input_scale))",
    ),
    rule(
        "EluBackward1",
        "gates",
        "where(self > 0, scale * self, scale * alpha * (exp(self * input_scale) - 1))",
        "Positive inputs let the gradient pass; for others it fades with the exponential, which "
        "is found again from the result.",
        self="grad * where(result > 0, scale, input_scale * (result + alpha * scale))",
    ),
    rule(
        "CeluBackward0",
        "gates",
        "where(self > 0, self, alpha * (exp(self / alpha) - 1))",
        "Positive inputs let the gradient pass; for others it fades with the exponential.",
        self="grad * where(self > 0, 1, exp(self / alpha))",
    ),
    rule(
        "GeluBackward0",
        "gates",
        "self * share",
        "A soft gate: x times the probability Φ(x) that a normal number is smaller; the local "
        "gradient is Φ(x) + x · φ(x).",
        where={
            "share": "(1 + erf(self / 2**0.5)) / 2 if approximate == 'none' else (1 + bent) / 2",
            "bell": "exp(-(self**2) / 2) / (2 * pi) ** 0.5 if approximate == 'none'"
            " else (1 - bent**2) / 2 * (2 / pi) ** 0.5 * (1 + 0.134145 * self**2)",
            "bent": "tanh((2 / pi) ** 0.5 * (self + 0.044715 * self**3))",
        },
        self="grad * (share + self * bell)",
    ),
    rule(
        "SiluBackward0",
        "gates",
        "self * sigmoid(self)",
        "A soft gate: x times σ(x). By the product rule, the local gradient is σ + x · σ(1 − σ).",
        where={"gate": "sigmoid(self)"},
        self="grad * (gate + self * gate * (1 - gate))",
    ),
    rule(
        "MishBackward0",
        "gates",
        "self * tanh(log(1 + exp(self)))",
        "A soft gate: x times tanh(softplus(x)). The product rule gives both parts.",
        where={"gate": "tanh(log(1 + exp(self)))"},
        self="grad * (gate + self * sigmoid(self) * (1 - gate**2))",
    ),
    rule(
        "SoftplusBackward0",
        "gates",
        "where(self * beta > threshold, self, log(1 + exp(self * beta)) / beta)",
        "A smooth ReLU, whose local gradient is the sigmoid; above the threshold it is 1.",
        self="where(self * beta > threshold, grad, grad * sigmoid(self * beta))",
    ),
    rule(
        "LogSigmoidBackward0",
        "scales",
        "-log(1 + exp(-self))",
        "The local gradient is 1 − σ(x): 1 for inputs far below 0, and 0 far above.",
        self="grad * sigmoid(-self)",
    ),
    rule(
        "HardtanhBackward0",
        "gates",
        "clamp(self, min_val, max_val)",
        "Values strictly between the bounds let the gradient pass; all others get 0.",
        self="where((self > min_val) & (self < max_val), grad, 0)",
    ),
    rule(
        "HardsigmoidBackward0",
        "gates",
        "clamp(self / 6 + 1 / 2, 0, 1)",
        "Values strictly between −3 and 3 let a sixth of the gradient pass.",
        self="where((self > -3) & (self < 3), grad / 6, 0)",
    ),
    rule(
        "HardswishBackward0",
        "gates",
        "self * clamp(self + 3, 0, 6) / 6",
        "Below −3 nothing passes, from 3 on all of it; in between x/3 + 1/2 of it.",
        self="where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad))",
    ),
    rule(
        "HardshrinkBackward0",
        "gates",
        "where((self >= -lambd) & (self <= lambd), 0, self)",
        "Values that were set to 0 get no gradient.",
        self="where((self >= -lambd) & (self <= lambd), 0, grad)",
    ),
    rule(
        "SoftshrinkBackward0",
        "gates",
        "where(self > lambd, self - lambd, where(self < -lambd, self + lambd, 0))",
        "Values that were set to 0 get no gradient.",
        self="where((self >= -lambd) & (self <= lambd), 0, grad)",
    ),
    rule(
        "GluBackward0",
        "swaps",
        "a * gate",
        "Half a times the gate σ(b): a gets the gradient times the gate, b gets it times a and "
        "the gate's own local gradient.",
        where={"a": "self.chunk(2, dim)[0]", "gate": "sigmoid(self.chunk(2, dim)[1])"},
        self="cat([grad * gate, grad * a * gate * (1 - gate)], dim)",
    ),
    rule(
        "SoftmaxBackward0",
        "mixes",
        "exp(self) / exp(self).sum(dim, keepdim=True)",
        "The outputs add up to 1: what one gains, the others lose. So from each gradient their "
        "weighted mean is taken first.",
        self="result * (grad - (grad * result).sum(dim, keepdim=True))",
    ),
    rule(
        "LogSoftmaxBackward0",
        "mixes",
        "self - logsumexp(self, dim, keepdim=True)",
        "From each gradient goes the probability's share of all of them: probabilities minus "
        "targets, if a cross entropy follows.",
        self="grad - exp(result) * grad.sum(dim, keepdim=True)",
    ),
    rule(
        "NativeDropoutBackward0",
        "gates",
        "input * result1 * factor",
        "Elements that were dropped get no gradient; the others get it with the factor that the "
        "values had.",
        where={"factor": "1 if not train else 0 if p == 1 else 1 / (1 - p)"},
        input="grad * result1 * factor",
    ),
]

PRODUCTS = [
    rule(
        "MmBackward0",
        "swaps",
        "self @ mat2",
        "Each matrix gets the gradient times the other one, transposed: shapes leave no choice.",
        self="grad @ mat2.T",
        mat2="self.T @ grad",
    ),
    rule(
        "BmmBackward0",
        "swaps",
        "self @ mat2",
        "As for one product of matrices, for each of the batch.",
        self="grad @ mat2.mT",
        mat2="self.mT @ grad",
    ),
    rule(
        "AddmmBackward0",
        "swaps",
        "beta * self + alpha * (mat1 @ mat2)",
        "A linear layer: the bias gets the gradient summed over the batch, each matrix gets it "
        "times the other one, transposed.",
        self="sum_to(beta * grad, self.shape)",
        mat1="alpha * (grad @ mat2.T)",
        mat2="alpha * (mat1.T @ grad)",
    ),
    rule(
        "BaddbmmBackward0",
        "swaps",
        "beta * self + alpha * (batch1 @ batch2)",
        "As for one product of matrices and a sum, for each of the batch.",
        self="sum_to(beta * grad, self.shape)",
        batch1="alpha * (grad @ batch2.mT)",
        batch2="alpha * (batch1.mT @ grad)",
    ),
    rule(
        "AddmvBackward0",
        "swaps",
        "beta * self + alpha * (mat @ vec)",
        "The matrix gets each gradient times the whole vector, the vector gets the transposed "
        "matrix times the gradient.",
        self="sum_to(beta * grad, self.shape)",
        mat="alpha * outer(grad, vec)",
        vec="alpha * (mat.T @ grad)",
    ),
    rule(
        "AddrBackward0",
        "swaps",
        "beta * self + alpha * outer(vec1, vec2)",
        "Each vector gets the gradient times the other one.",
        self="sum_to(beta * grad, self.shape)",
        vec1="alpha * (grad @ vec2)",
        vec2="alpha * (grad.T @ vec1)",
    ),
    rule(
        "MvBackward0",
        "swaps",
        "self @ vec",
        "The matrix gets each gradient times the whole vector, the vector gets the transposed "
        "matrix times the gradient.",
        self="outer(grad, vec)",
        vec="self.T @ grad",
    ),
    rule(
        "DotBackward0",
        "swaps",
        "(self * tensor).sum()",
        "Each vector gets the gradient times the other one.",
        self="grad * tensor",
        tensor="grad * self",
    ),
    rule(
        "VdotBackward0",
        "swaps",
        "(self * other).sum()",
        "Each vector gets the gradient times the other one.",
        self="grad * other",
        other="grad * self",
    ),
    broadcast_rule(
        "LinalgCrossBackward0",
        "swaps",
        "cross(self, other, dim)",
        "Each vector gets the cross product of the gradient and the other one.",
        self="cross(other, grad, dim)",
        other="cross(grad, self, dim)",
    ),
    rule(
        "LinalgInvExBackward0",
        "mixes",
        "linalg.inv(A)",
        "The inverse, transposed, stands on both sides, with a minus: as −1/x² for numbers.",
        A="-(inverse.mT @ grad @ inverse.mT)",
    ),
    rule(
        "TraceBackward0",
        "spreads",
        "self.diagonal().sum()",
        "The elements of the diagonal get the gradient; all others get 0.",
        self="grad * eye(self.shape[0], self.shape[1], dtype=grad.dtype)",
    ),
]

LAYERS = [
    rule(
        "EmbeddingBackward0",
        "routes",
        "weight[indices]",
        "The rows that were looked up get their gradients, added up for those that were looked up "
        "more than once; the row of the padding gets none.",
        where={
            "places": "indices.flatten()",
            "kept": "where(indices == padding_idx, 0, 1).reshape(-1, 1)",
            "rows": "grad.reshape(-1, grad.shape[-1]) * kept",
            "times": "bincount(places, minlength=weight.shape[0])[places].reshape(-1, 1)",
        },
        weight="zeros(weight.shape).index_add(0, places,"
        " rows / times if scale_grad_by_freq else rows)",
    ),
    rule(
        "ConvolutionBackward0",
        "swaps",
        "convolution(input, weight, bias, stride, padding, dilation, transposed,"
        " output_padding, groups)",
        "Each place of the input gets the gradients of all outputs it took part in, times the "
        "kernel's elements; each kernel element gets the gradients times the inputs it met; the "
        "bias gets the sum.",
        input="conv_input(grad, weight, input.shape, stride, padding, dilation, transposed,"
        " output_padding, groups)",
        weight="conv_weight(grad, input, weight.shape, stride, padding, dilation, transposed,"
        " output_padding, groups)",
        bias="channel_sum(grad)",
    ),
    rule(
        "MaxPool2DWithIndicesBackward0",
        "routes",
        "max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode)",
        "The largest element of each window gets its gradient; one that won several windows gets "
        "their sum.",
        self="zeros(self.shape).flatten(-2)"
        ".scatter_add(-1, result1.flatten(-2), grad.flatten(-2)).reshape(self.shape)",
    ),
    rule(
        "AvgPool2DBackward0",
        "spreads",
        "nn.functional.avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad,"
        " divisor_override)",
        "Each element of a window gets an equal share of the window's gradient.",
        self="pool_input(grad, self.shape, kernel_size, stride, padding, ceil_mode,"
        " count_include_pad, divisor_override)",
    ),
    rule(
        "NativeLayerNormBackward0",
        "mixes",
        "normal * (1 if weight is None else weight) + (0 if bias is None else bias)",
        "The mean and the spread of each row are fixed, so what would only shift or stretch the "
        "row is taken out of its gradient.",
        where={
            "inner": "grad if weight is None else grad * weight",
            "normal": "(input - result1) * result2",
            "rest": "inner - last_mean(inner, normalized_shape)"
            " - normal * last_mean(inner * normal, normalized_shape)",
        },
        input="result2 * rest",
        weight="sum_to(grad * normal, weight.shape)",
        bias="sum_to(grad, bias.shape)",
    ),
    rule(
        "NativeBatchNormBackward0",
        "mixes",
        "normal * (1 if weight is None else per_channel(weight, input.shape))"
        " + (0 if bias is None else per_channel(bias, input.shape))",
        "The mean and the spread of each channel are fixed, so what would only shift or stretch "
        "the channel is taken out of its gradient. In evaluation they are constants.",
        where={
            "inner": "grad if weight is None else grad * per_channel(weight, input.shape)",
            "mean": "result1 if training else running_mean",
            "scale": "result2 if training else 1 / sqrt(running_var + eps)",
            "slope": "per_channel(scale, input.shape)",
            "normal": "(input - per_channel(mean, input.shape)) * slope",
            "rest": "inner - channel_mean(inner) - normal * channel_mean(inner * normal)",
        },
        input="slope * (rest if training else inner)",
        weight="channel_sum(grad * normal)",
        bias="channel_sum(grad)",
    ),
    rule(
        "NativeGroupNormBackward0",
        "mixes",
        "normal * (1 if weight is None else per_channel(weight, input.shape))"
        " + (0 if bias is None else per_channel(bias, input.shape))",
        "The mean and the spread of each group of channels are fixed, so what would only shift or "
        "stretch the group is taken out of its gradient.",
        where={
            "groups": "(N, group, C // group * HxW)",
            "scale": "result2.unsqueeze(-1)",
            "rows": "(input.reshape(groups) - result1.unsqueeze(-1)) * scale",
            "normal": "rows.reshape(input.shape)",
            "scaled": "grad if weight is None else grad * per_channel(weight, input.shape)",
            "inner": "scaled.reshape(groups)",
            "rest": "inner - inner.mean(-1, keepdim=True)"
            " - rows * (inner * rows).mean(-1, keepdim=True)",
        },
        input="(scale * rest).reshape(input.shape)",
        weight="channel_sum(grad * normal)",
        bias="channel_sum(grad)",
    ),
    rule(
        "ScaledDotProductFlashAttentionForCpuBackward0",
        "mixes",
        "shares @ value",
        "The values get the gradient by the shares they had; the scores get it as through a "
        "softmax, and hand it on to the queries and the keys, each times the other.",
        where={
            "factor": "query.shape[-1] ** -0.5 if scale is None else scale",
            "scores": "masked(factor * (query @ key.mT), attn_mask, is_causal)",
            "shares": "softmax(scores, -1)",
            "inner": "grad @ value.mT",
            "slope": "shares * (inner - (inner * shares).sum(-1, keepdim=True))",
        },
        query="factor * (slope @ key)",
        key="factor * (slope.mT @ query)",
        value="shares.mT @ grad",
    ),
]

LOSSES = [
    rule(
        "MseLossBackward0",
        "scales",
        "reduced((self - target) ** 2, reduction)",
        "Twice the error, divided by the number of elements if the loss is their mean.",
        self="2 * (self - target) * share(grad, reduction, self.numel())",
        target="2 * (target - self) * share(grad, reduction, self.numel())",
    ),
    rule(
        "SmoothL1LossBackward0",
        "scales",
        "reduced(where(abs(error) < beta, error**2 / (2 * beta), abs(error) - beta / 2),"
        " reduction)",
        "Small errors count as they are, large ones (from beta on) by their sign alone.",
        where={
            "error": "self - target",
            "slope": "where(error <= -beta, -1, where(error >= beta, 1, error / beta))",
            "back": "where(-error <= -beta, -1, where(-error >= beta, 1, -error / beta))",
        },
        self="slope * share(grad, reduction, self.numel())",
        target="back * share(grad, reduction, self.numel())",
    ),
    rule(
        "HuberLossBackward0",
        "scales",
        "reduced(where(abs(error) < delta, error**2 / 2, delta * (abs(error) - delta / 2)),"
        " reduction)",
        "Small errors count as they are, large ones no more than delta.",
        where={"error": "self - target"},
        self="clamp(error, -delta, delta) * share(grad, reduction, self.numel())",
        target="clamp(-error, -delta, delta) * share(grad, reduction, self.numel())",
    ),
    class_loss_rule("NllLossBackward0"),
    class_loss_rule("NllLoss2DBackward0"),
    rule(
        "BinaryCrossEntropyBackward0",
        "scales",
        "reduced(-counts * (target * clamp(log(self), -100)"
        " + (1 - target) * clamp(log(1 - self), -100)), reduction)",
        "The error divided by p(1 − p): sure and wrong is punished without limit (but for 1e-12).",
        where={
            "counts": "1 if weight is None else weight",
            "each": "counts * share(grad, reduction, self.numel())",
        },
        self="each * (self - target) / clamp(self * (1 - self), 1e-12)",
        target="each * (log(1 - self) - log(self))",
    ),
    rule(
        "BinaryCrossEntropyWithLogitsBackward0",
        "scales",
        "reduced(-counts * (positive * target * log(sigmoid(self))"
        " + (1 - target) * log(sigmoid(-self))), reduction)",
        "The probability minus the target: the sigmoid and the logarithm cancel, which is why "
        "both are computed in one.",
        where={
            "counts": "1 if weight is None else weight",
            "each": "counts * share(grad, reduction, self.numel())",
            "positive": "1 if pos_weight is None else pos_weight",
            "slope": "sigmoid(self) - target if pos_weight is None"
            " else (positive * target + 1 - target) * sigmoid(self) - positive * target",
        },
        self="each * slope",
        target="each * (log(sigmoid(-self)) - positive * log(sigmoid(self)))",
    ),
]
