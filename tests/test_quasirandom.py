"""torch.quasirandom.SobolEngine: points, steps, scrambling."""

import pytest

import minitorch as torch
from minitorch.quasirandom import SobolEngine


def test_points_halve_the_cube_again_and_again():
    engine = SobolEngine(2)
    assert engine.draw(4).tolist() == [[0, 0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    assert engine.draw(1, dtype=torch.float64).tolist() == [[0.375, 0.375]]
    assert engine.reset().draw().tolist() == [[0, 0]]


def test_steps_may_be_left_out_and_drawn_by_powers_of_two():
    points = SobolEngine(9).draw_base2(4)
    engine = SobolEngine(9).fast_forward(5)
    assert torch.equal(engine.draw(11), points[5:])
    with pytest.raises(ValueError, match="n to be a power of 2"):
        engine.draw_base2(3)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        SobolEngine(2).draw(0)


def test_scrambling_goes_by_the_seed():
    engine = SobolEngine(3, scramble=True, seed=7)
    assert repr(engine) == "SobolEngine(dimension=3, scramble=True, seed=7)"
    points = engine.draw(256)
    assert torch.equal(SobolEngine(3, scramble=True, seed=7).draw(256), points)
    assert not torch.equal(SobolEngine(3, scramble=True, seed=8).draw(256), points)
    assert torch.allclose(points.mean(0), torch.full((3,), 0.5), atol=1e-2)
    out = torch.empty(0)
    assert engine.reset().draw(256, out=out) is out
    assert torch.equal(out, points)


def test_there_are_so_many_dimensions():
    assert SobolEngine(21201).draw(2)[1].eq(0.5).all()
    with pytest.raises(ValueError, match=r"\[1, 21201\]"):
        SobolEngine(0)
