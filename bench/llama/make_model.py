#!/usr/bin/env python3
"""Writes a small language model of random weights, as GGUF version 3 (github.com/ggml-org/ggml, docs/gguf.md): 58 million
numbers in 8 layers, 34 MB with 4 bits a weight. usage: make_model.py FILE [q4_0|q8_0|f16]"""
import random
import struct
import sys

WIDTH, LAYERS, FEED_FORWARD, HEADS, VOCABULARY, CONTEXT = 768, 8, 2048, 12, 2048, 2048
TENSOR_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q8_0": 8}
FILE_TYPES = {"f16": 1, "q4_0": 2, "q8_0": 7}
BLOCK = 32  # weights with one scale
ALIGNMENT = 32

numbers = random.Random(7)  # the same model everywhere


def text(s):
    return struct.pack("<Q", len(s.encode())) + s.encode()


def value(v):
    """A value with its type in front."""
    if isinstance(v, str):
        return struct.pack("<I", 8) + text(v)
    if isinstance(v, float):
        return struct.pack("<If", 6, v)
    if isinstance(v, int):
        return struct.pack("<II", 4, v)
    kind, one = {str: (8, text), float: (6, lambda x: struct.pack("<f", x)), int: (5, lambda x: struct.pack("<i", x))}[type(v[0])]
    return struct.pack("<IIQ", 9, kind, len(v)) + b"".join(map(one, v))


def weights(kind, shape):
    """Even over a range that keeps the size of what layers pass on."""
    if kind == "f32":
        return struct.pack("<f", 1.0) * shape[0]
    count, step = shape[0] * shape[1], shape[0] ** -0.5
    if kind == "f16":
        table = [struct.pack("<e", step * (i - 127.5) / 73) for i in range(256)]
        return b"".join(table[b] for b in numbers.randbytes(count))
    size, scale = (BLOCK // 2, step / 4.6) if kind == "q4_0" else (BLOCK, step / 73)
    head, data = struct.pack("<e", scale), numbers.randbytes(count // BLOCK * size)
    return b"".join(head + data[i:i + size] for i in range(0, len(data), size))


def vocabulary():
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    words = VOCABULARY - len(pieces)
    kinds = [2, 3, 3] + [6] * 256 + [1] * words  # unknown, control, bytes, normal
    return {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces + [f"\u2581w{i}" for i in range(words)],
            "tokenizer.ggml.scores": [-float(i) for i in range(VOCABULARY)], "tokenizer.ggml.token_type": kinds,
            "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.unknown_token_id": 0}


def tensors(kind):
    """(name, type, shape), the fastest dimension first."""
    yield from [("token_embd.weight", kind, (WIDTH, VOCABULARY)), ("output_norm.weight", "f32", (WIDTH,)),
                ("output.weight", kind, (WIDTH, VOCABULARY))]
    matrices = {"attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH), "attn_output": (WIDTH, WIDTH),
                "ffn_gate": (WIDTH, FEED_FORWARD), "ffn_up": (WIDTH, FEED_FORWARD), "ffn_down": (FEED_FORWARD, WIDTH)}
    for layer in range(LAYERS):
        yield from [(f"blk.{layer}.{name}.weight", "f32", (WIDTH,)) for name in ("attn_norm", "ffn_norm")]
        yield from [(f"blk.{layer}.{name}.weight", kind, shape) for name, shape in matrices.items()]


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def main(path, kind="q4_0"):
    meta = {"general.architecture": "llama", "general.name": "random", "general.file_type": FILE_TYPES[kind],
            "llama.context_length": CONTEXT, "llama.embedding_length": WIDTH, "llama.block_count": LAYERS,
            "llama.feed_forward_length": FEED_FORWARD, "llama.attention.head_count": HEADS,
            "llama.attention.head_count_kv": HEADS, "llama.attention.layer_norm_rms_epsilon": 1e-5,
            "llama.rope.dimension_count": WIDTH // HEADS, "llama.vocab_size": VOCABULARY, **vocabulary()}
    infos, data = b"", []
    for name, own, shape in tensors(kind):
        infos += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        infos += struct.pack("<IQ", TENSOR_TYPES[own], sum(map(len, data)))
        data.append(padded(weights(own, shape)))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(data), len(meta))
    head += b"".join(text(key) + value(v) for key, v in meta.items()) + infos
    with open(path, "wb") as file:
        file.write(padded(head) + b"".join(data))


main(*sys.argv[1:])
