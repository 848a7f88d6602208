#!/usr/bin/env python3
"""Writes the model files of this folder from the architectures that are described beside it.

`generate.py` writes them; `generate.py --check` names those that differ and exits 1.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from image_models import alexnet, inception3, resnet50, vgg16  # noqa: E402
from layers import Layer, Model  # noqa: E402
from sequence_models import (  # noqa: E402
    bert_base, bert_large, deep_speech_2, gpt2_xl, llama_7b, lm_300m)

MODELS = (alexnet, vgg16, resnet50, inception3, deep_speech_2, lm_300m, bert_base, bert_large,
          gpt2_xl, llama_7b)
FOLDER = Path(__file__).resolve().parent
# Trained with gradients of 16 bits.
GRADIENT_TYPE = {"llama-7b": "bfloat16"}


def main(arguments: list[str]) -> int:
    check = arguments == ["--check"]
    if arguments and not check:
        print(f"{arguments[0]}: unknown option (expected --check or nothing)", file=sys.stderr)
        return 2
    different = []
    for describe in MODELS:
        model = describe()
        file, text = FOLDER / f"{model.file}.yaml", yaml_of(model)
        if check and (not file.exists() or file.read_text(encoding="utf-8") != text):
            different.append(file.name)
        if not check:
            file.write_text(text, encoding="utf-8")
    for name in different:
        print(f"{name}: differs from what generate.py writes")
    return 1 if different else 0


def yaml_of(model: Model) -> str:
    total = sum(layer.parameters for layer in model.layers)
    if total != model.parameters:
        raise AssertionError(f"{model.name}: {total} parameters (expected {model.parameters})")
    forward = sum(layer.flops for layer in model.layers)
    source = textwrap.fill(model.source, 98, initial_indent="  ", subsequent_indent="  ",
                           break_on_hyphens=False, break_long_words=False)
    lines = [
        f"# Written by generate.py. Forward: {forward / 2e9:.2f} G multiply-adds a sample,"
        f" {forward / 1e9:.2f} GFLOP.",
        f"name: {model.name}", "source: >-", source,
        f"parameters: {model.parameters}",
        *([f"gradient_type: {GRADIENT_TYPE[model.file]}"] if model.file in GRADIENT_TYPE else []),
        f"samples: {model.samples}",
        "layers:", *map(_entry, model.layers),
    ]
    return "\n".join(lines) + "\n"


def _entry(layer: Layer) -> str:
    backward = ("" if layer.backward_flops is None
                else f", backward_flops: {layer.backward_flops}")
    return (f"  - {{name: {layer.name}, parameters: {layer.parameters}, flops: {layer.flops}"
            f"{backward}}}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
