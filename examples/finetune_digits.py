"""Fine-tunes a small MobileNetV2 from the handwritten digits 0-4 to the digits 5-9.

    python examples/finetune_digits.py

The model comes with weights that were trained on 0-4 (pretrain_digits.py) and gets a new
classifier. All parameters are trained, and batch norm is in training mode: the new digits
have other statistics than the old ones, and with batch norm left in eval mode the same
steps reached less (README.md has the figures). The running statistics follow as in
PyTorch, and `predict` uses them.
"""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

import pocket_mlir as pocket
from common import OUT, compare_speed, keep_freed_memory, plot
from digits import PRETRAINED, DigitNet, accuracy, batches, load_digits

BATCH = 32
MOMENTUM = 0.9
LEARNING_RATE = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1, help="for both Pocket MLIR and PyTorch")
    parser.add_argument("--output", type=Path, default=OUT, help="directory for the plot and the weights")
    parser.add_argument("--quick", action="store_true", help="few steps, for tests")
    arguments = parser.parse_args()
    epochs, rounds, timed_steps = (3, 2, 3) if arguments.quick else (arguments.epochs, 9, 10)
    torch.set_num_threads(arguments.threads)
    keep_freed_memory()

    # The model as it was shipped, with a new classifier.
    train, held_out = load_digits(first=5)
    model = DigitNet()
    model.load_state_dict(load_file(PRETRAINED))
    torch.manual_seed(0)
    model.classifier.reset_parameters()
    model.train()
    print(f"digits 5-9: {len(train[1])} images to train on, {len(held_out[1])} held out")

    # Compile the training step for this machine.
    print("compiling ...", flush=True)
    started = time.perf_counter()
    program = pocket.compile(
        model,
        torch.zeros(BATCH, *train[0].shape[1:]),
        loss="cross_entropy",
        optimizer=pocket.optim.SGD(momentum=MOMENTUM),
    )
    parameters = sum(p.numel() for p in model.parameters())
    print(f"compiled {parameters:,} parameters in {time.perf_counter() - started:.1f} s\n")

    # Train.
    session = program.session(threads=arguments.threads)
    test_batches = batches(*held_out, BATCH)
    order = np.random.default_rng(0)
    epoch_batches = [batches(*train, BATCH, order) for _ in range(epochs)]
    schedule = pocket.optim.cosine(LEARNING_RATE, steps=sum(map(len, epoch_batches)))
    history = session.fit(
        lambda epoch: epoch_batches[epoch], epochs=epochs, lr=schedule, validation=test_batches
    )
    before, after = history.initial["accuracy"], history.metric("accuracy")[-1]

    # The same in PyTorch, on the same batches.
    reference = copy.deepcopy(model)
    reference_loss = train_in_pytorch(reference, epoch_batches, schedule)
    reference_accuracy = accuracy(reference, *held_out)

    first, last = history.metric("loss")[0], history.metric("loss")[-1]
    print(f"\naccuracy on the held-out digits: before {before:.1%}, after {after:.1%}")
    print(f"  trained in PyTorch on the same batches: {reference_accuracy:.1%}")
    print(f"loss, mean of an epoch: first {first:.4f}, last {last:.4f}")
    gap = np.abs(np.subtract(history.loss, reference_loss)).max()
    print(f"  largest difference to PyTorch's, over {len(history.loss)} steps: {gap:.4f}")

    # Back into PyTorch.
    tuned_path = arguments.output / "digits_5to9.safetensors"
    tuned_path.parent.mkdir(parents=True, exist_ok=True)
    session.save(tuned_path)
    tuned = DigitNet()
    saved = load_file(tuned_path)  # the model's weights by their PyTorch names, and the optimizer's state
    tuned.load_state_dict({name: saved[name] for name in tuned.state_dict()})
    back = accuracy(tuned, *held_out)
    print(f"tuned weights in {tuned_path.name}, loaded into the PyTorch model: {back:.1%}")

    # Speed.
    ours, theirs = compare_speed(
        our_step(program.session(threads=arguments.threads), epoch_batches[0][0]),
        pytorch_step(copy.deepcopy(model), epoch_batches[0][0]),
        rounds,
        timed_steps,
    )
    print(f"\none step of {BATCH} images, {arguments.threads} thread(s), median of {rounds} alternating rounds:")
    print(f"  Pocket MLIR {ours:.2f} ms, PyTorch {theirs:.2f} ms: {theirs / ours:.2f}x as fast")

    # Memory.
    print("\nplanned memory:")
    print("\n".join(f"  {line}" for line in str(program.memory).splitlines()))
    print(f"measured peak: {session.measured_peak_bytes / 1024:,.1f} KiB")

    picture = arguments.output / "finetune_digits.png"
    ends = np.cumsum([epoch["steps"] for epoch in history.epochs])
    plot(
        picture,
        "A small MobileNetV2, pre-trained on the digits 0-4, learns 5-9",
        history.loss,
        ends,
        [before, *history.metric("accuracy")],
        baseline=("most frequent digit", np.bincount(held_out[1]).max() / len(held_out[1])),
        reference_loss=reference_loss,
    )
    print(f"\nplot: {picture}")

    assert after > before + (0.2 if arguments.quick else 0.5), "the accuracy did not rise"
    assert abs(back - after) < 1e-6, "PyTorch classifies with the tuned weights otherwise than the session"


def train_in_pytorch(model: DigitNet, epoch_batches, schedule) -> list[float]:
    """The loss of each step."""
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM)
    losses = []
    for images, labels in (batch for epoch in epoch_batches for batch in epoch):
        optimizer.param_groups[0]["lr"] = schedule(len(losses))
        losses.append(step_in_pytorch(model, optimizer, torch.from_numpy(images), torch.from_numpy(labels)))
    return losses


def step_in_pytorch(model, optimizer, images: torch.Tensor, labels: torch.Tensor) -> float:
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.item()


def our_step(session: pocket.Session, batch):
    return lambda: session.step(*batch, lr=1e-3)


def pytorch_step(model: DigitNet, batch):
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=MOMENTUM)
    images, labels = map(torch.from_numpy, batch)
    return lambda: step_in_pytorch(model, optimizer, images, labels)


if __name__ == "__main__":
    main()
