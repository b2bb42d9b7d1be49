"""Trains DigitNet on the digits 0-4 in PyTorch and writes data/digits_0to4.safetensors.

The file is part of the repository; run this only to make it anew:

    python examples/pretrain_digits.py
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from digits import PRETRAINED, DigitNet, accuracy, batches, load_digits

EPOCHS = 12
BATCH = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=PRETRAINED)
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # so that the result is the same on every machine with this processor
    torch.manual_seed(0)
    order = np.random.default_rng(0)
    train, held_out = load_digits(first=0)
    model = DigitNet()
    steps = EPOCHS * (len(train[1]) // BATCH)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for epoch in range(EPOCHS):
        model.train()
        losses = []
        for images, labels in batches(*train, BATCH, order):
            loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(images)), torch.from_numpy(labels))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1:2}: loss {np.mean(losses):.4f}, held out {accuracy(model, *held_out):.1%}")

    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    save_file(model.state_dict(), arguments.output)
    count = sum(p.numel() for p in model.parameters())
    print(f"{count:,} parameters, {arguments.output.stat().st_size / 1024:.0f} KiB in {arguments.output}")


if __name__ == "__main__":
    main()
