"""Questions with answers to choose from, and a sentence for each wrong one."""

from __future__ import annotations

from typing import NamedTuple

from .verdict import WrongAnswer


class Question(NamedTuple):
    """A question of the quiz."""

    text: str
    options: dict[str, str]
    right: str
    reasons: dict[str, str]
    """Why each wrong option is wrong."""
    because: str
    """Why the right one is right."""


QUIZ = {
    "when": Question(
        "When is the graph built?",
        {
            "a": "when backward() is called",
            "b": "while the operations run",
            "c": "when the module is made",
        },
        "b",
        {
            "a": "backward() walks a graph that is there: print loss.grad_fn before you call it.",
            "c": "A module without a call has no graph: its parameters have no grad_fn.",
        },
        "Each operation makes its node as it runs, so that another branch gives another graph.",
    ),
    "nodes": Question(
        "What is a node of autograd's graph?",
        {
            "a": "the backward of an operation that ran, or the gradient of a leaf",
            "b": "a layer of the model",
            "c": "a tensor with its values",
        },
        "a",
        {
            "b": "One Linear layer makes two nodes, AddmmBackward0 and TBackward0.",
            "c": "A node keeps only the tensors that its derivative needs; an addition keeps none.",
        },
        "AddBackward0 belongs to an addition that ran, and AccumulateGrad to a leaf.",
    ),
    "split": Question(
        "A value goes into two operations. What is its gradient?",
        {
            "a": "the product of what both send back",
            "b": "the mean of what both send back",
            "c": "the sum of what both send back",
        },
        "c",
        {
            "a": "Factors are multiplied along one path; different paths are added.",
            "b": "For x + x the mean is 1, but a step of 1 in x moves the result by 2.",
        },
        "A small step in x moves the result through both at once, and the moves add up.",
    ),
    "add": Question(
        "loss = y², y = z + b. The gradient of y is 2y. What is that of z?",
        {"a": "1", "b": "2y", "c": "2y · b"},
        "b",
        {
            "a": "1 is the local derivative of the addition; it is multiplied by what arrives.",
            "c": "That would be a product: z · b sends 2y · b to z.",
        },
        "An addition passes what arrives on to both inputs, unchanged.",
    ),
    "powers": Question(
        "a = x², b = x³ and y = a + b. What is the derivative of y with respect to x?",
        {"a": "2x · 3x²", "b": "2x + 3x²", "c": "5x"},
        "b",
        {
            "a": "Two paths lead from y to x: they are added.",
            "c": "The derivative of x³ is 3x².",
        },
        "One path sends 2x, the other 3x².",
    ),
    "dead": Question(
        "The input of a ReLU is negative for every example. What do the weights before it learn?",
        {
            "a": "nothing, for their gradient is 0",
            "b": "half as much, for half of the gradient passes",
            "c": "as much as ever: ReLU is an identity in the backward",
        },
        "a",
        {
            "b": "ReLU passes all of the gradient where its input is positive, and 0 elsewhere.",
            "c": "The derivative of max(0, x) is 0 where x is negative.",
        },
        "No example sends a gradient, so that no step will ever move them: the unit is dead.",
    ),
    "checkpoint": Question(
        "What does a checkpoint trade?",
        {
            "a": "precision for memory",
            "b": "time for memory",
            "c": "gradients for memory",
        },
        "b",
        {
            "a": "It computes the very numbers again; they are equal to the last bit.",
            "c": "no_grad() does that. A checkpoint gives all gradients.",
        },
        "What is inside is not kept; it is computed again when the backward comes there.",
    ),
    "leaves": Question(
        "Which tensors have a .grad after backward()?",
        {
            "a": "leaves that require grad, and others that called retain_grad()",
            "b": "all tensors that require grad",
            "c": "all leaves",
        },
        "a",
        {
            "b": "The gradient of an inner value is passed on and let go, unless it is asked for.",
            "c": "Data are leaves too, and require no grad.",
        },
        "Only AccumulateGrad keeps gradients, and only leaves have one.",
    ),
}


def question(name: str) -> str:
    """A question and its options as text. Raises KeyError for a name that there is not."""
    asked = QUIZ[name]
    options = [f"  {letter}  {text}" for letter, text in asked.options.items()]
    return "\n".join([asked.text, *options])


def check_quiz(answer: str, question: str) -> str:
    """Says whether an option is the right one.

    Args:
        answer: its letter.
        question: the name of the question.
    """
    asked = QUIZ[question]
    if answer not in asked.options:
        raise WrongAnswer(f"Answer with one of the letters {', '.join(asked.options)}.")
    if answer != asked.right:
        raise WrongAnswer(asked.reasons[answer])
    return asked.because
