"""Layers of a network with their parameters and floating-point operations, by arithmetic.

Operations are those of forward for one sample. As the published totals do, they count convolutions
and matrix products only, not biases, normalisation and activations; a multiply-add counts as 2.
Backward takes twice as many: the gradient of the weights and that of the input. The gradient of the
samples themselves is not computed, so the first layer's backward takes as many as its forward.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    name: str
    parameters: int
    flops: int
    backward_flops: int | None = None  # None: twice `flops`


@dataclass(frozen=True)
class Model:
    file: str
    name: str
    source: str
    samples: str
    parameters: int  # as published; `layers` must amount to it
    layers: list[Layer]


class Image:
    """What passes through a convolutional network: its shape, and the layers so far."""

    def __init__(self, channels: int, height: int, width: int, layers: list[Layer] | None = None):
        self.channels, self.height, self.width = channels, height, width
        self.layers: list[Layer] = [] if layers is None else layers

    def branch(self) -> Image:
        """The same input again, for layers beside each other; they share the list of layers."""
        return Image(self.channels, self.height, self.width, self.layers)

    def conv(self, name: str, out: int, kernel: int | tuple[int, int], stride: int = 1,
             pad: int | tuple[int, int] = 0, norm: bool = False) -> Image:
        """A convolution with biases, or with the scale and shift of batch normalisation."""
        kernel_height, kernel_width = _both(kernel)
        pad_height, pad_width = _both(pad)
        self.height = (self.height + 2 * pad_height - kernel_height) // stride + 1
        self.width = (self.width + 2 * pad_width - kernel_width) // stride + 1
        weights = self.channels * kernel_height * kernel_width * out
        self._append(name, weights + (2 if norm else 1) * out,
                     2 * weights * self.height * self.width)
        self.channels = out
        return self

    def pool(self, kernel: int, stride: int, pad: int = 0) -> Image:
        self.height = (self.height + 2 * pad - kernel) // stride + 1
        self.width = (self.width + 2 * pad - kernel) // stride + 1
        return self

    def average(self) -> Image:
        """One value for each channel."""
        self.height = self.width = 1
        return self

    def dense(self, name: str, out: int) -> Image:
        inputs = self.channels * self.height * self.width
        self._append(name, (inputs + 1) * out, 2 * inputs * out)
        self.channels, self.height, self.width = out, 1, 1
        return self

    def _append(self, name: str, parameters: int, flops: int) -> None:
        first = not self.layers
        self.layers.append(Layer(name, parameters, flops, flops if first else None))


def product(inputs: int, outputs: int, times: int) -> int:
    """Operations of a matrix of `inputs` x `outputs` with `times` vectors."""
    return 2 * inputs * outputs * times


def first_layer(layer: Layer) -> Layer:
    """The layer with no gradient of its input to compute."""
    return dataclasses.replace(layer, backward_flops=layer.flops)


def _both(value: int | tuple[int, int]) -> tuple[int, int]:
    return value if isinstance(value, tuple) else (value, value)
