# torch.tensor: numbers of a normal distribution
from torch.distributions import Normal

m = Normal(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 0.5]))
a, b = m.sample(), m.sample((3,))
c = m.log_prob(torch.tensor([[0.3], [1.5]]))
d, e = m.cdf(a), m.icdf(torch.tensor([0.1, 0.9]))
f = [m.mean, m.mode, m.stddev, m.variance, m.entropy(), m.perplexity()]
print(m, m.batch_shape, m.event_shape, m.has_rsample, m.support, m.arg_constraints)

# torch.Size: a normal distribution of numbers
from torch.distributions import Normal

m = Normal(0.0, 1)
a, b = m.sample(), m.rsample(torch.Size([2, 2]))
print(m, m.log_prob(torch.tensor(0.5)), m.expand((3,)), type(m))

# Tensor.pow: gradients reach the parameters through a sample
from torch.distributions import Normal, Uniform

mean = torch.tensor([0.5, -1.0], requires_grad=True)
spread = torch.tensor([0.3, 2.0], requires_grad=True)
y = Normal(mean, spread).rsample((4,)).pow(2).sum()
y.backward()
z = Uniform(mean - 2, mean + 2).rsample((4,)).sum()
z.backward()

# Tensor.mean: gradients reach the parameters through the likelihood
from torch.distributions import Bernoulli, Categorical, Normal

mean = torch.tensor([0.5, -1.0], requires_grad=True)
y = -Normal(mean, 0.7).log_prob(torch.tensor([1.0, 2.0])).sum()
y.backward()
logits = torch.randn(4, 3, requires_grad=True)
m = Categorical(logits=logits)
action = m.sample()
loss = (-m.log_prob(action) * torch.arange(4.0)).mean() - 0.01 * m.entropy().mean()
loss.backward()
odds = torch.randn(5, requires_grad=True)
b = Bernoulli(logits=odds)
z = b.log_prob(b.sample()).sum() + b.entropy().sum()
z.backward()

# Tensor.expand: a uniform distribution
from torch.distributions import Uniform

m = Uniform(torch.tensor([0.0, -1.0]), 3.0)
a = m.sample((2,))
b, c, d = m.log_prob(a), m.cdf(a), m.icdf(torch.rand(2))
e = [m.mean, m.mode, m.stddev, m.variance, m.entropy()]
print(m, m.support, m.expand((4, 2)), m.arg_constraints)

# Tensor.expand: a Bernoulli distribution
from torch.distributions import Bernoulli

m = Bernoulli(torch.tensor([0.0, 0.3, 0.5, 1.0]))
a = m.sample((5,))
b, c = m.log_prob(a), m.logits
d = [m.mean, m.mode, m.variance, m.stddev, m.entropy(), m.probs]
e, f = m.enumerate_support(), m.enumerate_support(expand=False)
n = Bernoulli(logits=0.3)
g = [n.probs, n.sample((2,)), n.log_prob(torch.tensor(1.0))]
print(m, n, m.param_shape, n.expand((2,)), m.support, m.has_enumerate_support)

# Tensor.expand: a categorical distribution
from torch.distributions import Categorical

m = Categorical(torch.tensor([[1.0, 2, 1], [0, 0.5, 3]]))
a, b = m.sample(), m.sample((2, 3))
c, d = m.log_prob(b), m.logits
e = [m.mean, m.mode, m.variance, m.stddev, m.entropy(), m.probs]
f, g = m.enumerate_support(), m.enumerate_support(expand=False)
n = Categorical(logits=torch.tensor([0.0, 1, 2], dtype=torch.float64))
h = [n.sample(), n.probs, n.log_prob(torch.tensor(2)), n.expand((2,)).sample()]
print(m, n, m.support, m.param_shape, n.expand((2,)), m.has_rsample)

# torch.tensor: without checks
from torch.distributions import Bernoulli, Normal

a = Normal(torch.tensor([0.0]), torch.tensor([-1.0]), validate_args=False).log_prob(torch.ones(1))
b = Bernoulli(torch.tensor(1.5), validate_args=False)
print(b)

# torch.tensor: a negative deviation
from torch.distributions import Normal

Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, -1.0]))

# torch.tensor: an interval upside down
from torch.distributions import Uniform

Uniform(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0]))

# torch.tensor: chances that are none
from torch.distributions import Categorical

Categorical(torch.tensor([-0.5, 1.0]))

# torch.tensor: chances above one
from torch.distributions import Bernoulli

Bernoulli(torch.tensor([0.5, 1.5]))

# torch.distributions: neither chances nor logits
from torch.distributions import Categorical

Categorical()

# torch.tensor: one chance of no class
from torch.distributions import Categorical

Categorical(torch.tensor(0.3))

# torch.tensor: the likelihood of a number out of the support
from torch.distributions import Bernoulli

Bernoulli(0.3).log_prob(torch.tensor(2.0))

# torch.tensor: the likelihood of a class too many
from torch.distributions import Categorical

Categorical(torch.ones(3)).log_prob(torch.tensor([0, 3]))

# torch.distributions: the likelihood of what is no tensor
from torch.distributions import Normal

Normal(0.0, 1.0).log_prob(1.5)

# torch.zeros: the likelihood of another shape
from torch.distributions import Normal

Normal(torch.zeros(3), 1.0).log_prob(torch.ones(2))

# parameters that are no numbers
from torch.distributions import Normal

Normal("0", 1.0)

# torch.zeros: parameters of shapes that do not fit
from torch.distributions import Normal

Normal(torch.zeros(3), torch.ones(2))

# torch.tensor: a distribution that is only begun
from torch.distributions import Distribution, constraints

print(constraints.positive, constraints.real_vector, constraints.interval(0, 2))
print(constraints.unit_interval.check(torch.tensor([0.5, 1.5])), constraints.simplex)
print(constraints.is_dependent(constraints.dependent), constraints.positive_integer)
m = Distribution(validate_args=False)
m.sample()
