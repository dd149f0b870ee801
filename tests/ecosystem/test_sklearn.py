"""scikit-learn learns from tensors, and hands back arrays."""

import numpy
import pytest

import minitorch as torch

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn import linear_model, metrics, model_selection, pipeline, preprocessing

pytestmark = pytest.mark.filterwarnings("ignore:__array_:DeprecationWarning")


def data():
    """Ten points on a line, and on which half of it each lies."""
    return torch.arange(20.0).reshape(10, 2), (torch.arange(10) > 4).long()


def test_splits_of_tensors_are_tensors():
    x, y = data()
    parts = model_selection.train_test_split(x, y, random_state=0, stratify=y, test_size=0.4)
    assert all(isinstance(part, torch.Tensor) for part in parts)
    assert [part.shape for part in parts] == [(6, 2), (4, 2), (6,), (4,)]
    assert torch.equal(parts[0][:, 0] > 9, parts[2].bool())


def test_splits_belong_to_the_graph():
    x, _ = data()
    train, test = model_selection.train_test_split(x.requires_grad_(), random_state=0)
    assert test.grad_fn.name() == "IndexBackward0"
    (train.sum() + test.sum()).backward()
    assert x.grad.eq(1).all()


def test_scaled_tensors_have_mean_zero_and_deviation_one():
    x, _ = data()
    scaled = preprocessing.StandardScaler().fit_transform(x)
    assert type(scaled) is numpy.ndarray
    expected = (x.double() - x.double().mean(0)) / x.double().std(0, correction=0)
    numpy.testing.assert_allclose(scaled, expected.numpy(), rtol=1e-7)


def test_a_regression_learns_the_halves():
    x, y = data()
    model = linear_model.LogisticRegression().fit(x, y)
    assert model.score(x, y) == 1
    assert torch.equal(torch.from_numpy(model.predict(x)), y)
    chain = pipeline.make_pipeline(preprocessing.MinMaxScaler(), linear_model.LinearRegression())
    assert chain.fit(x, y.float()).predict(x).shape == (10,)
    assert len(model_selection.cross_val_score(model, x, y, cv=2)) == 2


def test_what_requires_grad_is_not_learnt_from():
    x, y = data()
    with pytest.raises(RuntimeError, match="requires grad"):
        linear_model.LogisticRegression().fit(x.requires_grad_(), y)


def test_metrics_compare_tensors():
    x, y = data()
    flipped = 1 - y
    assert metrics.accuracy_score(y, y) == 1
    assert metrics.f1_score(y, flipped) == 0
    assert metrics.confusion_matrix(y, flipped).tolist() == [[0, 5], [5, 0]]
    assert metrics.roc_auc_score(y, torch.linspace(0, 1, 10)) == 1
    assert metrics.mean_squared_error(x, x + 1) == 1
