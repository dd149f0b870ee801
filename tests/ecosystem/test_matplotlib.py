"""matplotlib draws tensors."""

import pytest

import minitorch as torch

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

# What NumPy says of torch's way to be an array, and so of ours.
pytestmark = pytest.mark.filterwarnings("ignore:__array_:DeprecationWarning")


@pytest.fixture
def axes():
    """Axes of a figure of their own."""
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def test_lines_and_points_lie_where_the_tensors_say(axes):
    x, y = torch.arange(3), torch.tensor([3.0, 1.0, 2.0])
    (line,) = axes.plot(x, y, "o-")
    assert line.get_xydata().tolist() == [[0, 3], [1, 1], [2, 2]]
    assert [line.get_ydata().tolist() for line in axes.plot(torch.eye(2))] == [[1, 0], [0, 1]]
    points = axes.scatter(x, y, c=y, s=y)
    assert points.get_offsets().tolist() == [[0, 3], [1, 1], [2, 2]]


def test_half_precision_is_drawn_as_it_is(axes):
    (line,) = axes.plot(torch.tensor([1.0, 2.0]).half())
    assert line.get_ydata().dtype == "float16"


def test_bars_are_as_high_as_the_tensor_says(axes):
    bars = axes.bar(torch.arange(3), torch.tensor([3.0, 1.0, 2.0]))
    assert [bar.get_height() for bar in bars] == [3, 1, 2]


def test_images_show_the_elements(axes):
    assert axes.imshow(torch.arange(6.0).reshape(2, 3)).get_array().tolist() == [
        [0, 1, 2],
        [3, 4, 5],
    ]
    assert axes.imshow(torch.rand(4, 4, 3)).get_array().shape == (4, 4, 3)


def test_histograms_count_the_elements(axes):
    counts, edges, _ = axes.hist(torch.tensor([3.0, 1.0, 2.0, 3.0]), bins=2)
    assert counts.tolist() == [1, 3]
    assert edges.tolist() == [1, 2, 3]


def test_numbers_are_limits_and_labels(axes):
    low = torch.tensor(2.5)
    axes.set_xlim(low, low + 1)
    assert axes.get_xlim() == (2.5, 3.5)
    assert axes.set_title(f"{low:.2f}").get_text() == "2.50"


def test_what_requires_grad_or_has_no_dtype_of_numpy_is_not_drawn(axes):
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        axes.plot(torch.ones(3, requires_grad=True))
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        axes.plot(torch.ones(3).bfloat16())


def test_a_figure_of_tensors_is_saved(axes, tmp_path):
    axes.plot(torch.randn(10), label="noise")
    axes.fill_between(torch.arange(3), torch.zeros(3), torch.ones(3))
    axes.legend()
    axes.figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000
