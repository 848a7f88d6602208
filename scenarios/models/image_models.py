"""Convolutional networks: AlexNet, VGG-16, ResNet-50, Inception v3."""

from __future__ import annotations

from layers import Image, Model


def alexnet() -> Model:
    image = Image(3, 224, 224)
    image.conv("conv1", 64, 11, stride=4, pad=2).pool(3, 2)
    image.conv("conv2", 192, 5, pad=2).pool(3, 2)
    image.conv("conv3", 384, 3, pad=1)
    image.conv("conv4", 256, 3, pad=1)
    image.conv("conv5", 256, 3, pad=1).pool(3, 2)
    image.dense("fc6", 4096).dense("fc7", 4096).dense("fc8", 1000)
    return Model(
        "alexnet", "AlexNet",
        "A. Krizhevsky, \"One weird trick for parallelizing convolutional neural networks\""
        " (arXiv:1404.5997): AlexNet as one tower without groups, 61.1 million parameters, 0.71 G"
        " multiply-adds (the two towers of 2012 have 61.0 million). TensorFlow's benchmark script"
        " has 384 filters in conv4 and 1001 classes, which makes it 1 % larger",
        "images", 61_100_840, image.layers)


def vgg16() -> Model:
    image = Image(3, 224, 224)
    for group, (depth, channels) in enumerate([(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)], 1):
        for layer in range(1, depth + 1):
            image.conv(f"conv{group}_{layer}", channels, 3, pad=1)
        image.pool(2, 2)
    image.dense("fc6", 4096).dense("fc7", 4096).dense("fc8", 1000)
    return Model(
        "vgg16", "VGG-16",
        "K. Simonyan, A. Zisserman, \"Very Deep Convolutional Networks for Large-Scale Image"
        " Recognition\" (arXiv:1409.1556), configuration D: 138 million parameters",
        "images", 138_357_544, image.layers)


def resnet50() -> Model:
    image = Image(3, 224, 224)
    image.conv("conv1", 64, 7, stride=2, pad=3, norm=True).pool(3, 2, pad=1)
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)], 2):
        for block in range(1, blocks + 1):
            _bottleneck(image, f"conv{stage}_{block}", width, first=block == 1,
                        stride=2 if block == 1 and stage > 2 else 1)
    image.average().dense("fc", 1000)
    return Model(
        "resnet50", "ResNet-50",
        "K. He et al., \"Deep Residual Learning for Image Recognition\" (arXiv:1512.03385), table"
        " 1: 3.8 G multiply-adds, the stride in the first 1x1 convolution of a block. Parameters with"
        " scale and shift of batch normalisation, 25.6 million",
        "images", 25_557_032, image.layers)


def _bottleneck(image: Image, name: str, width: int, first: bool, stride: int) -> None:
    if first:
        image.branch().conv(f"{name}_shortcut", 4 * width, 1, stride=stride, norm=True)
    image.conv(f"{name}_a", width, 1, stride=stride, norm=True)
    image.conv(f"{name}_b", width, 3, pad=1, norm=True)
    image.conv(f"{name}_c", 4 * width, 1, norm=True)


def inception3() -> Model:
    image = Image(3, 299, 299)
    image.conv("conv1a", 32, 3, stride=2, norm=True).conv("conv2a", 32, 3, norm=True)
    image.conv("conv2b", 64, 3, pad=1, norm=True).pool(3, 2)
    image.conv("conv3b", 80, 1, norm=True).conv("conv4a", 192, 3, norm=True).pool(3, 2)
    for name, pooled in (("mixed5b", 32), ("mixed5c", 64), ("mixed5d", 64)):
        _module_5x5(image, name, pooled)
    _reduction_to_17(image, "mixed6a")
    for name, width in (("mixed6b", 128), ("mixed6c", 160), ("mixed6d", 160), ("mixed6e", 192)):
        _module_7x7(image, name, width)
    _reduction_to_8(image, "mixed7a")
    for name in ("mixed7b", "mixed7c"):
        _module_split(image, name)
    image.average().dense("fc", 1000)
    return Model(
        "inception3", "Inception v3",
        "C. Szegedy et al., \"Rethinking the Inception Architecture for Computer Vision\""
        " (arXiv:1512.00567): 5.7 G multiply-adds. Without the auxiliary classifier (with it 27.2"
        " million parameters), with scale and shift of batch normalisation",
        "images", 23_834_568, image.layers)


def _chain(image: Image, name: str, *convolutions: tuple) -> int:
    """Convolutions one after the other beside what else is in the module; their channels."""
    branch = image.branch()
    for number, (out, kernel, *stride) in enumerate(convolutions, 1):
        valid = bool(stride)  # those with a stride have no padding
        pad = (0, 0) if valid else tuple(
            size // 2 for size in (kernel if isinstance(kernel, tuple) else (kernel, kernel)))
        branch.conv(f"{name}_{number}", out, kernel, *stride, pad=pad, norm=True)
    return branch.channels


def _module_5x5(image: Image, name: str, pooled: int) -> None:
    image.channels = (_chain(image, f"{name}_1x1", (64, 1))
                      + _chain(image, f"{name}_5x5", (48, 1), (64, 5))
                      + _chain(image, f"{name}_3x3", (64, 1), (96, 3), (96, 3))
                      + _chain(image, f"{name}_pool", (pooled, 1)))


def _reduction_to_17(image: Image, name: str) -> None:
    channels = (_chain(image, f"{name}_3x3", (384, 3, 2))
                + _chain(image, f"{name}_3x3dbl", (64, 1), (96, 3), (96, 3, 2)))
    image.pool(3, 2).channels += channels


def _module_7x7(image: Image, name: str, width: int) -> None:
    row, column = (1, 7), (7, 1)
    image.channels = (_chain(image, f"{name}_1x1", (192, 1))
                      + _chain(image, f"{name}_7x7", (width, 1), (width, row), (192, column))
                      + _chain(image, f"{name}_7x7dbl", (width, 1), (width, column), (width, row),
                               (width, column), (192, row))
                      + _chain(image, f"{name}_pool", (192, 1)))


def _reduction_to_8(image: Image, name: str) -> None:
    channels = (_chain(image, f"{name}_3x3", (192, 1), (320, 3, 2))
                + _chain(image, f"{name}_7x7", (192, 1), (192, (1, 7)), (192, (7, 1)),
                         (192, 3, 2)))
    image.pool(3, 2).channels += channels


def _module_split(image: Image, name: str) -> None:
    """Two of the chains end in a 1x3 and a 3x1 convolution beside each other."""
    channels = _chain(image, f"{name}_1x1", (320, 1))
    for chain, convolutions in (("3x3", [(384, 1)]), ("3x3dbl", [(448, 1), (384, 3)])):
        branch = image.branch()
        branch.channels = _chain(branch, f"{name}_{chain}", *convolutions)
        channels += _chain(branch, f"{name}_{chain}_row", (384, (1, 3)))
        channels += _chain(branch, f"{name}_{chain}_column", (384, (3, 1)))
    image.channels = channels + _chain(image, f"{name}_pool", (192, 1))
