"""Whole models through the frontend, against PyTorch."""

import pytest
import torch

import frontend_models as models
from frontend_check import check


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize("name", models.MODELS)
def test_model(name, training):
    torch.manual_seed(0)
    make, inputs, loss = models.MODELS[name]
    check(make().train(training), inputs(), loss)
