"""The makers of tensors that programs with sparse tensors begin with."""


def coordinates(values: str, size: str = "(3, 4)", **more: str) -> dict[str, str]:
    """Makers of tensors of coordinates: s in order, u not, v other places, e empty; d dense."""
    where = "torch.tensor([[0, 2, 0, 1, 2], [1, 0, 1, 3, 2]])"
    others = f"({where}.flip(1)[:, 1:] - 1).relu()"
    options = f"{size}, check_invariants=False"
    return {
        "u": f"torch.sparse_coo_tensor({where}, {values}, {options})",
        "s": f"torch.sparse_coo_tensor({where}, {values}, {options}).coalesce()",
        "v": f"torch.sparse_coo_tensor({others}, ({values})[:4], {options})",
        "e": f"torch.sparse_coo_tensor({where}[:, :0], ({values})[:0], {options})",
        **more,
    }


DENSE = {
    "d": "torch.arange(12.0).reshape(3, 4) / 4 - 1",
    "m": "torch.arange(8.0).reshape(4, 2) / 3 - 1",
    "w": "torch.linspace(-1, 1, 4)",
}
COMPRESSED = ("csr", "csc", "bsr", "bsc")
MAKERS = {
    "coo": coordinates("torch.tensor([1.0, -2.0, 0.5, 3.0, -0.25])", **DENSE),
    "doubles": coordinates(
        "torch.tensor([1.0, -2.0, 0.5, 3.0, 0.0], dtype=torch.float64)",
        d="torch.arange(12.0).double().reshape(3, 4)",
        m="torch.arange(8.0).double().reshape(4, 2)",
        w="torch.arange(4.0).double()",
    ),
    "hybrid": coordinates(
        "torch.tensor([[1.0, 2], [-3, 0], [0.5, 1], [2, -1], [4, 5]])",
        "(3, 4, 2)",
        d="torch.arange(24.0).reshape(3, 4, 2) / 4 - 1",
        m="torch.arange(2.0)",
    ),
    "integers": coordinates(
        "torch.tensor([1, -2, 3, 4, 0])",
        d="torch.arange(12).reshape(3, 4)",
        m="torch.arange(8).reshape(4, 2)",
        w="torch.arange(4)",
    ),
    "bools": coordinates(
        "torch.tensor([True, False, True, True, False])",
        d="torch.arange(12).reshape(3, 4) > 4",
    ),
    "complex": coordinates(
        "torch.tensor([1.0 + 2j, -2, 0.5j, 3 - 1j, 1.5])",
        d="torch.arange(12.0).reshape(3, 4) * (1 + 1j)",
        m="torch.arange(8.0).reshape(4, 2) * (1 - 1j)",
        w="torch.arange(4.0) * 1j",
    ),
    "cube": {
        "s": "(torch.arange(24.0).reshape(2, 3, 4) % 5 - 2).relu().to_sparse()",
        "h": "(torch.arange(24.0).reshape(2, 3, 4) % 7 - 3).relu().to_sparse(1)",
        "b": "torch.arange(16.0).reshape(2, 4, 2) / 8 - 1",
    },
    **{
        layout: {
            "s": f"(torch.arange(24.0).reshape(4, 6) % 5 - 2).relu().to_sparse_{layout}{block}",
            "t": f"(torch.arange(24.0).reshape(4, 6) % 3).to_sparse_{layout}{block}",
            "d": "torch.arange(24.0).reshape(4, 6) / 4 - 1",
            "m": "torch.arange(12.0).reshape(6, 2) / 3 - 1",
            "w": "torch.linspace(-1, 1, 6)",
        }
        for layout, block in (
            ("csr", "()"),
            ("csc", "()"),
            ("bsr", "((2, 3))"),
            ("bsc", "((2, 3))"),
        )
    },
    "scalar": {
        "s": "torch.tensor(3.0).to_sparse()",
        "e": "torch.tensor(0.0).to_sparse()",
        "d": "torch.tensor(2.0)",
    },
}
