"""The model files are what their generator writes, and amount to what has been published."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

MODELS = Path(__file__).resolve().parents[2] / "scenarios" / "models"
ENTRY = re.compile(r"  - \{name: (\S+), parameters: (\d+), flops: (\d+)"
                   r"(?:, backward_flops: (\d+))?\}")

# Parameters, and 10^9 multiply-adds of forward where they are published: torchvision's alexnet,
# vgg16, resnet50 and inception_v3 (less its auxiliary classifier, 3 326 696), the arXiv papers that
# the files name, transformers' BertForPreTraining and GPT2LMHeadModel, and LLaMA's checkpoint.
PUBLISHED = {
    "alexnet": (61_100_840, 0.71),
    "vgg16": (138_357_544, 15.47),
    "resnet50": (25_557_032, 3.86),
    "inception3": (27_161_264 - 3_326_696, 5.71),
    "bert-base": (110_106_428, None),
    "bert-large": (336_226_108, None),
    "gpt2-xl": (1_557_611_200, None),
    "llama-7b": (6_738_415_616, None),
    # A size in the source, not a count.
    "deep-speech-2": (68_270_429, None),
    "lm-300m": (299_998_728, None),
}


def entries(name):
    """Name, parameters, forward and backward operations of each layer."""
    lines = (MODELS / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    layers = []
    for line in lines[lines.index("layers:") + 1:]:
        layer, parameters, flops, backward = ENTRY.fullmatch(line).groups()
        layers.append((layer, int(parameters), int(flops), int(backward or 2 * int(flops))))
    return layers


class ModelFilesTest(unittest.TestCase):
    def test_the_files_are_what_the_generator_writes(self):
        done = subprocess.run([sys.executable, str(MODELS / "generate.py"), "--check"],
                              capture_output=True, text=True)

        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_every_file_has_a_published_total(self):
        self.assertEqual({file.stem for file in MODELS.glob("*.yaml")}, set(PUBLISHED))

    def test_the_layers_amount_to_the_published_parameters(self):
        for name, (parameters, _) in PUBLISHED.items():
            with self.subTest(name):
                self.assertEqual(sum(layer[1] for layer in entries(name)), parameters)

    def test_the_layers_amount_to_the_published_operations(self):
        for name, (_, multiply_adds) in PUBLISHED.items():
            if multiply_adds is not None:
                with self.subTest(name):
                    forward = sum(layer[2] for layer in entries(name))
                    self.assertEqual(round(forward / 2e9, 2), multiply_adds)

    # Each weight takes part in one multiply-add for each token, those of the embeddings in none;
    # attention adds 2 x tokens x width in each block, scores and sums, for each token.
    def test_a_transformer_computes_two_operations_per_weight_and_token(self):
        cases = {"gpt2-xl": (1_557_611_200, 48, 1600, 1024),
                 "llama-7b": (6_738_415_616 - 131_072_000, 32, 4096, 2048)}
        for name, (weights, blocks, width, tokens) in cases.items():
            with self.subTest(name):
                forward = sum(layer[2] for layer in entries(name))
                derived = 2 * tokens * (weights + 2 * blocks * tokens * width)
                # Biases, norms and GPT-2's positions are in the weights and not in the products.
                self.assertAlmostEqual(forward / derived, 1, delta=2e-3)

    def test_the_first_layer_that_computes_has_no_gradient_of_its_input(self):
        for name in ("alexnet", "vgg16", "resnet50", "inception3", "deep-speech-2"):
            with self.subTest(name):
                layers = entries(name)
                self.assertEqual(layers[0][3], layers[0][2])
                self.assertTrue(all(layer[3] == 2 * layer[2] for layer in layers[1:]))

    def test_names_of_layers_differ(self):
        for name in PUBLISHED:
            with self.subTest(name):
                names = [layer[0] for layer in entries(name)]
                self.assertEqual(len(set(names)), len(names))


if __name__ == "__main__":
    unittest.main()
