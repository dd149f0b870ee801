"""The named tuples that operators return, such as torch.return_types.max."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.registry import ROWS, load_families
from minitorch.core.declare.wording.return_types import RETURN_TYPES, return_type

__all__ = (
    "all_return_types aminmax aminmax_out cummax cummax_out cummin cummin_out frexp frexp_out "
    "geqrf geqrf_out histogram histogram_out histogramdd kthvalue kthvalue_out linalg_cholesky_ex "
    "linalg_cholesky_ex_out linalg_eig linalg_eig_out linalg_eigh linalg_eigh_out linalg_inv_ex "
    "linalg_inv_ex_out linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_factor_ex_out "
    "linalg_ldl_factor_out linalg_lstsq linalg_lstsq_out linalg_lu linalg_lu_factor "
    "linalg_lu_factor_ex linalg_lu_factor_ex_out linalg_lu_factor_out linalg_lu_out linalg_qr "
    "linalg_qr_out linalg_slogdet linalg_slogdet_out linalg_solve_ex linalg_solve_ex_out "
    "linalg_svd linalg_svd_out lu_unpack lu_unpack_out max max_out median median_out min min_out "
    "mode mode_out nanmedian nanmedian_out pytree_register_structseq qr qr_out slogdet "
    "slogdet_out sort sort_out svd svd_out topk topk_out triangular_solve triangular_solve_out"
).split()

# What torch makes of results of operators that have no row of that name here, and their fields.
_COMPOSED = {
    "_fused_moving_avg_obs_fq_helper": "output mask",
    "_lu_with_info": "LU pivots info",
    "_scaled_dot_product_cudnn_attention": (
        "output logsumexp cum_seq_q cum_seq_k max_q max_k philox_seed philox_offset debug_attn_mask"
    ),
    "_scaled_dot_product_efficient_attention": "output log_sumexp philox_seed philox_offset",
    "_scaled_dot_product_flash_attention": (
        "output logsumexp cum_seq_q cum_seq_k max_q max_k rng_state unused debug_attn_mask"
    ),
    "_unpack_dual": "primal tangent",
    "histogramdd": "hist bin_edges",
    "linalg_eigh": "eigenvalues eigenvectors",
    "linalg_ldl_factor": "LD pivots",
    "linalg_lu_factor": "LU pivots",
    "linalg_slogdet": "sign logabsdet",
    "linalg_solve_ex": "result info",
    "linalg_svd": "U S Vh",
    "qr": "Q R",
    "slogdet": "sign logabsdet",
    "svd": "U S V",
}
# The operators whose types torch lists, in its order; all but histogramdd take out=.
_LISTED = """
    aminmax cummax cummin frexp geqrf histogram histogramdd kthvalue linalg_cholesky_ex linalg_eig
    linalg_eigh linalg_inv_ex linalg_ldl_factor linalg_ldl_factor_ex linalg_lstsq linalg_lu
    linalg_lu_factor linalg_lu_factor_ex linalg_qr linalg_slogdet linalg_solve_ex linalg_svd
    lu_unpack max median min mode nanmedian qr slogdet sort svd topk triangular_solve
""".split()


def pytree_register_structseq(cls: type) -> None:
    """Lets torch.utils._pytree take apart what a class of named tuples has made.

    Those of this module already are: their fields are entries as those of any tuple.
    """
    # start-up: 4 ms
    from minitorch.utils._pytree import SUPPORTED_NODES, SequenceKey, register_pytree_node

    if cls in SUPPORTED_NODES:
        return
    register_pytree_node(
        cls,
        lambda made: (list(made), None),
        lambda values, context: cls(values),
        flatten_with_keys_fn=lambda made: (
            [(SequenceKey(i), each) for i, each in enumerate(made)],
            None,
        ),
    )


def __getattr__(name: str) -> Any:
    if name == "all_return_types":
        return [__getattr__(each) for each in _listed()]
    if name not in RETURN_TYPES:
        row_name = name.removesuffix("_out")
        if row_name in _COMPOSED:
            return return_type(name, _COMPOSED[row_name].split())
        load_families()
        for row in ROWS.values():
            if row.name == row_name and row.schema.names_outputs:
                return return_type(name, row.schema.outputs)
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")
    return RETURN_TYPES[name]


def _listed() -> list[str]:
    forms = [(each, f"{each}_out") if each != "histogramdd" else (each,) for each in _LISTED]
    return [name for names in forms for name in names]


def __dir__() -> list[str]:
    load_families()
    names = {row.name for row in ROWS.values() if row.schema.names_outputs}
    return sorted({*globals(), *RETURN_TYPES, *names, *_COMPOSED, *_listed()})
