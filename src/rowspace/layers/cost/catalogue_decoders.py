"""The sizes of published decoder-only models: `DECODERS`."""

from rowspace.layers.cost.catalogue_entries import Entry, published

_SIZES = "vocab_size hidden_size num_hidden_layers intermediate_size"
_LLAMA = "vocab_size hidden_size num_hidden_layers num_attention_heads num_key_value_heads intermediate_size"

DECODERS: list[Entry] = [
    *published(
        "gpt2",
        "Radford et al. 2019, Language Models are Unsupervised Multitask Learners",
        "n_embd n_layer",
        {
            "openai-community/gpt2": (768, 12, 124_439_808),
            "openai-community/gpt2-medium": (1024, 24, 354_823_168),
            "openai-community/gpt2-large": (1280, 36, 774_030_080),
            "openai-community/gpt2-xl": (1600, 48, 1_557_611_200),
        },
        vocab_size=50257,
        n_positions=1024,
    ),
    *published(
        "opt",
        "Zhang et al. 2022, arXiv:2205.01068",
        "hidden_size num_hidden_layers ffn_dim",
        {
            "facebook/opt-125m": (768, 12, 3072, 125_239_296),
            "facebook/opt-1.3b": (2048, 24, 8192, 1_315_758_080),
            "facebook/opt-2.7b": (2560, 32, 10240, 2_651_596_800),
            "facebook/opt-6.7b": (4096, 32, 16384, 6_658_473_984),
            "facebook/opt-13b": (5120, 40, 20480, 12_853_473_280),
            "facebook/opt-30b": (7168, 48, 28672, 29_974_540_288),
            "facebook/opt-66b": (9216, 64, 36864, 65_719_701_504),
        },
        vocab_size=50272,
    ),
    *published(
        "opt",
        "Zhang et al. 2022, arXiv:2205.01068",
        "hidden_size num_hidden_layers ffn_dim word_embed_proj_dim",
        {"facebook/opt-350m": (1024, 24, 4096, 512, 331_196_416)},
        vocab_size=50272,
        do_layer_norm_before=False,
    ),
    *published(
        "bloom",
        "BigScience 2022, arXiv:2211.05100",
        "hidden_size n_layer",
        {
            "bigscience/bloom-560m": (1024, 24, 559_214_592),
            "bigscience/bloom-1b1": (1536, 24, 1_065_314_304),
            "bigscience/bloom-1b7": (2048, 24, 1_722_408_960),
            "bigscience/bloom-3b": (2560, 30, 3_002_557_440),
            "bigscience/bloom-7b1": (4096, 30, 7_069_016_064),
            "bigscience/bloom": (14336, 70, 176_247_271_424),
        },
        vocab_size=250880,
    ),
    *published(
        "mpt",
        "MosaicML 2023, Introducing MPT-7B",
        "d_model n_layers",
        {"mosaicml/mpt-7b": (4096, 32, 6_649_286_656), "mosaicml/mpt-30b": (7168, 48, 29_957_200_896)},
        vocab_size=50432,
    ),
    *published(
        "gpt_neox",
        "Biderman et al. 2023, arXiv:2304.01373",
        _SIZES,
        {
            "EleutherAI/pythia-70m": (50304, 512, 6, 2048, 70_426_624),
            "EleutherAI/pythia-160m": (50304, 768, 12, 3072, 162_322_944),
            "EleutherAI/pythia-410m": (50304, 1024, 24, 4096, 405_334_016),
            "EleutherAI/pythia-1b": (50304, 2048, 16, 8192, 1_011_781_632),
            "EleutherAI/pythia-1.4b": (50304, 2048, 24, 8192, 1_414_647_808),
            "EleutherAI/pythia-2.8b": (50304, 2560, 32, 10240, 2_775_208_960),
            "EleutherAI/pythia-6.9b": (50432, 4096, 32, 16384, 6_857_302_016),
            "EleutherAI/pythia-12b": (50688, 5120, 36, 20480, 11_846_072_320),
        },
    ),
    *published(
        "phi",
        "Li et al. 2023, arXiv:2309.05463",
        _SIZES,
        {
            "microsoft/phi-1_5": (51200, 2048, 24, 8192, 1_418_270_720),
            "microsoft/phi-2": (51200, 2560, 32, 10240, 2_779_683_840),
        },
        num_attention_heads=32,
    ),
    *published(
        "phi3",
        "Abdin et al. 2024, arXiv:2404.14219 and arXiv:2412.08905",
        _LLAMA,
        {
            "microsoft/Phi-3-mini-4k-instruct": (32064, 3072, 32, 32, 32, 8192, 3_821_079_552),
            "microsoft/phi-4": (100352, 5120, 40, 40, 10, 17920, 14_659_507_200),
        },
    ),
    *published(
        "llama",
        "Touvron et al. 2023, arXiv:2302.13971",
        _LLAMA,
        {
            "huggyllama/llama-7b": (32000, 4096, 32, 32, 32, 11008, 6_738_415_616),
            "huggyllama/llama-13b": (32000, 5120, 40, 40, 40, 13824, 13_015_864_320),
            "huggyllama/llama-30b": (32000, 6656, 60, 52, 52, 17920, 32_528_943_616),
            "huggyllama/llama-65b": (32000, 8192, 80, 64, 64, 22016, 65_285_660_672),
        },
    ),
    *published(
        "llama",
        "Touvron et al. 2023, arXiv:2307.09288",
        _LLAMA,
        {
            "meta-llama/Llama-2-7b-hf": (32000, 4096, 32, 32, 32, 11008, 6_738_415_616),
            "meta-llama/Llama-2-13b-hf": (32000, 5120, 40, 40, 40, 13824, 13_015_864_320),
            "meta-llama/Llama-2-70b-hf": (32000, 8192, 80, 64, 8, 28672, 68_976_648_192),
        },
    ),
    *published(
        "llama",
        "Grattafiori et al. 2024, arXiv:2407.21783",
        _LLAMA,
        {
            "meta-llama/Meta-Llama-3-8B": (128256, 4096, 32, 32, 8, 14336, 8_030_261_248),
            "meta-llama/Meta-Llama-3-70B": (128256, 8192, 80, 64, 8, 28672, 70_553_706_496),
            "meta-llama/Llama-3.1-8B": (128256, 4096, 32, 32, 8, 14336, 8_030_261_248),
            "meta-llama/Llama-3.1-70B": (128256, 8192, 80, 64, 8, 28672, 70_553_706_496),
            "meta-llama/Llama-3.1-405B": (128256, 16384, 126, 128, 8, 53248, 405_853_388_800),
        },
    ),
    *published(
        "llama",
        "Meta 2024, model card of Llama 3.2",
        _LLAMA,
        {
            "meta-llama/Llama-3.2-1B": (128256, 2048, 16, 32, 8, 8192, 1_235_814_400),
            "meta-llama/Llama-3.2-3B": (128256, 3072, 28, 24, 8, 8192, 3_212_749_824),
        },
        tie_word_embeddings=True,
    ),
    *published(
        "mistral",
        "Jiang et al. 2023, arXiv:2310.06825",
        _LLAMA,
        {
            "mistralai/Mistral-7B-v0.1": (32000, 4096, 32, 32, 8, 14336, 7_241_732_096),
            "mistralai/Mistral-7B-v0.3": (32768, 4096, 32, 32, 8, 14336, 7_248_023_552),
            "mistralai/Mistral-Nemo-Base-2407": (131072, 5120, 40, 32, 8, 14336, 12_247_782_400),
        },
        head_dim=128,
    ),
    *published(
        "mixtral",
        "Jiang et al. 2024, arXiv:2401.04088",
        _LLAMA,
        {
            "mistralai/Mixtral-8x7B-v0.1": (32000, 4096, 32, 32, 8, 14336, 46_702_792_704),
            "mistralai/Mixtral-8x22B-v0.1": (32000, 6144, 56, 48, 8, 16384, 140_620_634_112),
        },
    ),
    *published(
        "qwen2",
        "Yang et al. 2024, arXiv:2407.10671 and arXiv:2412.15115",
        _LLAMA,
        {
            "Qwen/Qwen2-7B": (152064, 3584, 28, 28, 4, 18944, 7_615_616_512),
            "Qwen/Qwen2-72B": (152064, 8192, 80, 64, 8, 29568, 72_706_203_648),
            "Qwen/Qwen2.5-7B": (152064, 3584, 28, 28, 4, 18944, 7_615_616_512),
            "Qwen/Qwen2.5-14B": (152064, 5120, 48, 40, 8, 13824, 14_770_033_664),
            "Qwen/Qwen2.5-32B": (152064, 5120, 64, 40, 8, 27648, 32_763_876_352),
            "Qwen/Qwen2.5-72B": (152064, 8192, 80, 64, 8, 29568, 72_706_203_648),
        },
    ),
    *published(
        "qwen2",
        "Yang et al. 2024, arXiv:2407.10671 and arXiv:2412.15115",
        _LLAMA,
        {
            "Qwen/Qwen2-0.5B": (151936, 896, 24, 14, 2, 4864, 494_032_768),
            "Qwen/Qwen2-1.5B": (151936, 1536, 28, 12, 2, 8960, 1_543_714_304),
            "Qwen/Qwen2.5-0.5B": (151936, 896, 24, 14, 2, 4864, 494_032_768),
            "Qwen/Qwen2.5-1.5B": (151936, 1536, 28, 12, 2, 8960, 1_543_714_304),
            "Qwen/Qwen2.5-3B": (151936, 2048, 36, 16, 2, 11008, 3_085_938_688),
        },
        tie_word_embeddings=True,
    ),
    *published(
        "qwen3",
        "Yang et al. 2025, arXiv:2505.09388",
        _LLAMA,
        {
            "Qwen/Qwen3-0.6B": (151936, 1024, 28, 16, 8, 3072, 596_049_920),
            "Qwen/Qwen3-1.7B": (151936, 2048, 28, 16, 8, 6144, 1_720_574_976),
            "Qwen/Qwen3-4B": (151936, 2560, 36, 32, 8, 9728, 4_022_468_096),
        },
        tie_word_embeddings=True,
    ),
    *published(
        "qwen3",
        "Yang et al. 2025, arXiv:2505.09388",
        _LLAMA,
        {
            "Qwen/Qwen3-8B": (151936, 4096, 36, 32, 8, 12288, 8_190_735_360),
            "Qwen/Qwen3-14B": (151936, 5120, 40, 40, 8, 17408, 14_768_307_200),
            "Qwen/Qwen3-32B": (151936, 5120, 64, 64, 8, 25600, 32_762_123_264),
        },
    ),
    *published(
        "gemma",
        "Gemma Team 2024, arXiv:2403.08295",
        _LLAMA,
        {
            "google/gemma-2b": (256000, 2048, 18, 8, 1, 16384, 2_506_172_416),
            "google/gemma-7b": (256000, 3072, 28, 16, 16, 24576, 8_537_680_896),
        },
    ),
    *published(
        "gemma2",
        "Gemma Team 2024, arXiv:2408.00118",
        _LLAMA + " head_dim",
        {
            "google/gemma-2-2b": (256000, 2304, 26, 8, 4, 9216, 256, 2_614_341_888),
            "google/gemma-2-9b": (256000, 3584, 42, 16, 8, 14336, 256, 9_241_705_984),
            "google/gemma-2-27b": (256000, 4608, 46, 32, 16, 36864, 128, 27_227_128_320),
        },
    ),
    *published(
        "gemma3_text",
        "Gemma Team 2025, arXiv:2503.19786",
        _LLAMA,
        {
            "google/gemma-3-270m": (262144, 640, 18, 4, 1, 2048, 268_098_176),
            "google/gemma-3-1b-pt": (262144, 1152, 26, 4, 1, 6912, 999_885_952),
            "google/gemma-3-4b-pt/text": (262208, 2560, 34, 8, 4, 10240, 3_880_263_168),
            "google/gemma-3-12b-pt/text": (262208, 3840, 48, 16, 8, 15360, 11_766_034_176),
        },
    ),
    *published(
        "gemma3_text",
        "Gemma Team 2025, arXiv:2503.19786",
        _LLAMA,
        {"google/gemma-3-27b-pt/text": (262208, 5376, 62, 32, 16, 21504, 27_009_346_304)},
        head_dim=128,
    ),
]
