"""The sizes of published encoders, and of encoders with a decoder: `ENCODERS`."""

from rowspace.layers.cost.catalogue_entries import Entry, published

_SIZES = "vocab_size hidden_size num_hidden_layers intermediate_size"

ENCODERS: list[Entry] = [
    *published(
        "bert",
        "Devlin et al. 2018, arXiv:1810.04805",
        _SIZES,
        {
            "google-bert/bert-base-uncased": (30522, 768, 12, 3072, 110_106_428),
            "google-bert/bert-base-cased": (28996, 768, 12, 3072, 108_932_934),
            "google-bert/bert-large-uncased": (30522, 1024, 24, 4096, 336_226_108),
            "google-bert/bert-large-cased": (28996, 1024, 24, 4096, 334_661_958),
        },
    ),
    *published(
        "roberta",
        "Liu et al. 2019, arXiv:1907.11692",
        _SIZES,
        {
            "FacebookAI/roberta-base": (50265, 768, 12, 3072, 124_697_433),
            "FacebookAI/roberta-large": (50265, 1024, 24, 4096, 355_412_057),
        },
        max_position_embeddings=514,
        type_vocab_size=1,
    ),
    *published(
        "xlm-roberta",
        "Conneau et al. 2019, arXiv:1911.02116",
        _SIZES,
        {
            "FacebookAI/xlm-roberta-base": (250002, 768, 12, 3072, 278_295_186),
            "FacebookAI/xlm-roberta-large": (250002, 1024, 24, 4096, 560_142_482),
        },
        max_position_embeddings=514,
        type_vocab_size=1,
    ),
    *published(
        "albert",
        "Lan et al. 2019, arXiv:1909.11942",
        _SIZES,
        {
            "albert/albert-base-v2": (30000, 768, 12, 3072, 11_221_680),
            "albert/albert-large-v2": (30000, 1024, 24, 4096, 16_795_824),
            "albert/albert-xlarge-v2": (30000, 2048, 24, 8192, 54_821_040),
            "albert/albert-xxlarge-v2": (30000, 4096, 12, 16384, 206_368_944),
        },
        embedding_size=128,
    ),
    *published(
        "modernbert",
        "Warner et al. 2024, arXiv:2412.13663",
        _SIZES + " num_attention_heads",
        {
            "answerdotai/ModernBERT-base": (50368, 768, 22, 1152, 12, 149_655_232),
            "answerdotai/ModernBERT-large": (50368, 1024, 28, 2624, 16, 395_881_664),
        },
    ),
    *published(
        "t5",
        "Raffel et al. 2020, arXiv:1910.10683",
        "d_model num_layers num_heads d_kv d_ff",
        {
            "google-t5/t5-small": (512, 6, 8, 64, 2048, 60_506_624),
            "google-t5/t5-base": (768, 12, 12, 64, 3072, 222_903_552),
            "google-t5/t5-large": (1024, 24, 16, 64, 4096, 737_668_096),
            "google-t5/t5-3b": (1024, 24, 32, 128, 16384, 2_851_598_336),
            "google-t5/t5-11b": (1024, 24, 128, 128, 65536, 11_307_321_344),
        },
        vocab_size=32128,
    ),
    *published(
        "t5",
        "Chung et al. 2022, arXiv:2210.11416",
        "d_model num_layers num_heads d_kv d_ff",
        {
            "google/flan-t5-small": (512, 8, 6, 64, 1024, 76_961_152),
            "google/flan-t5-base": (768, 12, 12, 64, 2048, 247_577_856),
            "google/flan-t5-large": (1024, 24, 16, 64, 2816, 783_150_080),
            "google/flan-t5-xl": (2048, 24, 32, 64, 5120, 2_849_757_184),
            "google/flan-t5-xxl": (4096, 24, 64, 64, 10240, 11_135_332_352),
        },
        vocab_size=32128,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
    ),
    *published(
        "clip_text_model",
        "Radford et al. 2021, arXiv:2103.00020",
        "hidden_size intermediate_size",
        {
            "openai/clip-vit-base-patch32/text": (512, 2048, 63_165_952),
            "openai/clip-vit-base-patch16/text": (512, 2048, 63_165_952),
            "openai/clip-vit-large-patch14/text": (768, 3072, 123_060_480),
        },
        vocab_size=49408,
        num_hidden_layers=12,
        max_position_embeddings=77,
    ),
    *published(
        "siglip_text_model",
        "Zhai et al. 2023, arXiv:2303.15343",
        _SIZES,
        {
            "google/siglip-base-patch16-224/text": (32000, 768, 12, 3072, 110_271_744),
            "google/siglip-so400m-patch14-384/text": (32000, 1152, 27, 4304, 449_734_896),
        },
        max_position_embeddings=64,
    ),
]
