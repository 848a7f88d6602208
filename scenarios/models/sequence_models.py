"""Recurrent networks and transformers."""

from __future__ import annotations

from layers import Layer, Model, first_layer, product


def deep_speech_2() -> Model:
    frames, bins, window, units, alphabet = 350, 161, 11, 1760, 29
    spectrogram = Layer("conv1", window * bins * units + 2 * units,
                        product(window * bins, units, frames))
    layers = [first_layer(spectrogram)]
    # One matrix for the input of both directions, one for the recurrence of each; batch
    # normalisation of the former, a bias for the latter.
    for number in range(1, 8):
        layers.append(Layer(f"rnn{number}", 3 * units * units + 4 * units,
                            product(units, 3 * units, frames)))
    layers.append(Layer("fc", (units + 1) * alphabet, product(units, alphabet, frames)))
    return Model(
        "deep-speech-2", "Deep Speech 2, 7 x 1760",
        "D. Amodei et al., \"Deep Speech 2\" (arXiv:1512.02595): the network of 9 layers of its"
        " scaling figure, 7 of them bidirectional recurrent with 1760 units, 70 million parameters"
        " in its table of model sizes. The convolution over time (windows of 11 frames, 161"
        " frequencies) and an utterance of 7 s (350 steps of 20 ms) are assumed",
        "utterances", 68_270_429, layers)


def lm_300m() -> Model:
    words, units, tokens = 56_840, 2048, 32
    lstm = 4 * units * (units + units) + 4 * units
    layers = [
        Layer("embedding", words * units, 0),
        Layer("lstm1", lstm, product(2 * units, 4 * units, tokens)),
        Layer("lstm2", lstm, product(2 * units, 4 * units, tokens)),
        Layer("softmax", (units + 1) * words, product(units, words, tokens)),
    ]
    return Model(
        "lm-300m", "language model, 300 M",
        "A. Gibiansky, \"Bringing HPC Techniques to Deep Learning\" (Baidu SVAIL, February 2017):"
        " a recurrent language model of approximately 300 million parameters. The article gives no"
        " more than that; two LSTM layers of 2048 units, a vocabulary that makes up the total and"
        " sequences of 32 words are assumed",
        "sequences", 299_998_728, layers)


def bert_large() -> Model:
    return Model(
        "bert-large", "BERT-large",
        "J. Devlin et al., \"BERT\" (arXiv:1810.04805): 24 layers, width 1024, vocabulary of 30522,"
        " sequences of 512 with 77 predicted words. 336.2 million parameters: 335.1 million with"
        " embeddings and pooler (the paper's 340 million, rounded), and the two heads of"
        " pre-training",
        "sequences", 336_226_108, _bert(width=1024, blocks=24, tokens=512, predicted=77))


def bert_base() -> Model:
    return Model(
        "bert-base", "BERT-base",
        "J. Devlin et al., \"BERT\" (arXiv:1810.04805): 12 layers, width 768, vocabulary of 30522,"
        " sequences of 128 with 20 predicted words (the first phase of pre-training). 110.1 million"
        " parameters: 109.5 million with embeddings and pooler, and the two heads of pre-training",
        "sequences", 110_106_428, _bert(width=768, blocks=12, tokens=128, predicted=20))


def _bert(width: int, blocks: int, tokens: int, predicted: int) -> list[Layer]:
    inner, vocabulary, positions, norm = 4 * width, 30_522, 512, 2 * width
    layers = [Layer("embeddings", (vocabulary + positions + 2) * width + norm, 0)]
    for block in range(blocks):
        layers.append(_attention(f"block{block}_attention", width, tokens,
                                 4 * (width + 1) * width + norm))
        layers.append(Layer(f"block{block}_mlp", (width + 1) * inner + (inner + 1) * width + norm,
                            product(width, 2 * inner, tokens)))
    layers.append(Layer("pooler", (width + 1) * width, product(width, width, 1)))
    # The output shares its matrix with the word embeddings, whose gradient is ready last.
    layers.append(Layer("heads", (width + 1) * width + norm + vocabulary + 2 * (width + 1),
                        product(width, width + vocabulary, predicted) + product(width, 2, 1)))
    return layers


def gpt2_xl() -> Model:
    width, blocks, vocabulary, tokens = 1600, 48, 50_257, 1024
    norm = 2 * width
    layers = [Layer("embeddings", (vocabulary + tokens) * width, 0)]
    for block in range(blocks):
        layers.append(_attention(f"block{block}_attention", width, tokens,
                                 4 * (width + 1) * width + norm))
        layers.append(Layer(f"block{block}_mlp",
                            (width + 1) * 4 * width + (4 * width + 1) * width + norm,
                            product(width, 8 * width, tokens)))
    # The output shares its matrix with the word embeddings, whose gradient is ready last.
    layers.append(Layer("output", norm, product(width, vocabulary, tokens)))
    return Model(
        "gpt2-xl", "GPT-2 1.5B",
        "A. Radford et al., \"Language Models are Unsupervised Multitask Learners\" (OpenAI, 2019)"
        " and the code of openai/gpt-2: 48 layers, width 1600, vocabulary of 50257, sequences of"
        " 1024; attention counted in full, not half of it for the causal mask",
        "sequences", 1_557_611_200, layers)


def llama_7b() -> Model:
    width, blocks, inner, vocabulary, tokens = 4096, 32, 11_008, 32_000, 2048
    layers = [Layer("embeddings", vocabulary * width, 0)]
    for block in range(blocks):
        layers.append(_attention(f"block{block}_attention", width, tokens,
                                 4 * width * width + width))
        layers.append(Layer(f"block{block}_mlp", 3 * width * inner + width,
                            product(width, 3 * inner, tokens)))
    layers.append(Layer("output", vocabulary * width + width, product(width, vocabulary, tokens)))
    return Model(
        "llama-7b", "LLaMA 7B",
        "H. Touvron et al., \"LLaMA\" (arXiv:2302.13971) and the code of facebookresearch/llama: 32"
        " layers, width 4096, inner width 11008, vocabulary of 32000, sequences of 2048, 6.7"
        " billion parameters; attention counted in full, not half of it for the causal mask",
        "sequences", 6_738_415_616, layers)


def _attention(name: str, width: int, tokens: int, parameters: int) -> Layer:
    """Queries, keys, values and output; then each token with each: the scores and their sums."""
    return Layer(name, parameters,
                 product(width, 4 * width, tokens) + 2 * product(width, tokens, tokens))
