"""The operators whose numbers are exact by definition: nothing but torch's own bits will do.

They copy numbers, choose among them, cast them, step from one to the next, or change a sign or an
exponent. None of them rounds in a way that a library may choose.
"""

_MOVES = """
H T __getitem__ _chunk_cat alias_copy as_strided as_strided_copy as_strided_scatter atleast_1d
atleast_2d atleast_3d block_diag broadcast_tensors broadcast_to cartesian_prod cat chunk clone
column_stack combinations complex constant_pad_nd contiguous diag diag_embed diagflat diagonal
diagonal_copy diagonal_scatter dsplit dstack expand expand_as expand_copy eye fft.fftshift
fft.ifftshift fill flatten flip fliplr flipud full full_like gather hsplit hstack imag index_copy
index_fill index_put index_select item linalg.diagonal mH mT masked_fill masked_scatter
masked_select meshgrid movedim narrow narrow_copy new_full new_ones new_zeros
nn.functional.channel_shuffle nn.functional.one_hot nn.functional.pixel_shuffle
nn.functional.pixel_unshuffle nn.functional.unfold ones ones_like permute permute_copy put ravel
real repeat repeat_interleave reshape reshape_as resize_ resize_as_ resolve_conj resolve_neg roll
rot90 scalar_tensor scatter select select_scatter slice slice_scatter split split_with_sizes
split_with_sizes_copy squeeze squeeze_copy stack t t_copy take take_along_dim tensor_split tile
transpose transpose_copy tril triu unbind unbind_copy unflatten unfold unfold_copy unsafe_chunk
unsafe_split unsqueeze unsqueeze_copy view view_as view_as_complex view_as_real view_copy vsplit
vstack where zero_ zeros zeros_like
"""

_CHOICES = """
amax amin aminmax clamp clamp_max clamp_min cummax cummin fmax fmin heaviside kthvalue masked.amax
masked.amin max maximum min minimum mode msort nn.functional.adaptive_max_pool1d
nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d nn.functional.hardshrink
nn.functional.hardtanh nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d
nn.functional.relu nn.functional.relu6 nn.functional.threshold sort topk unique unique_consecutive
"""

_CASTS = """
bfloat16 bool byte cdouble cfloat chalf char double float half int long short to
"""

_SIGNS_AND_STEPS = """
ceil conj conj_physical copysign floor fmod frexp nan_to_num neg nextafter positive round sign
trunc
"""

EXACT = frozenset(f"{_MOVES} {_CHOICES} {_CASTS} {_SIGNS_AND_STEPS}".split())
