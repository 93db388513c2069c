"""The sizes of published image models: `IMAGE_MODELS`."""

from rowspace.layers.cost.catalogue_entries import Entry, published

_SIZES = "hidden_size num_hidden_layers image_size patch_size"

IMAGE_MODELS: list[Entry] = [
    *published(
        "vit",
        "Dosovitskiy et al. 2020, arXiv:2010.11929",
        _SIZES + " intermediate_size",
        {
            "google/vit-base-patch16-224": (768, 12, 224, 16, 3072, 85_798_656),
            "google/vit-base-patch16-384": (768, 12, 384, 16, 3072, 86_090_496),
            "google/vit-base-patch32-384": (768, 12, 384, 32, 3072, 87_528_192),
            "google/vit-large-patch16-224": (1024, 24, 224, 16, 4096, 303_301_632),
            "google/vit-large-patch32-384": (1024, 24, 384, 32, 4096, 305_607_680),
        },
    ),
    *published(
        "deit",
        "Touvron et al. 2020, arXiv:2012.12877",
        _SIZES + " intermediate_size",
        {
            "facebook/deit-tiny-distilled-patch16-224": (192, 12, 224, 16, 768, 5_524_800),
            "facebook/deit-small-distilled-patch16-224": (384, 12, 224, 16, 1536, 21_666_432),
            "facebook/deit-base-distilled-patch16-224": (768, 12, 224, 16, 3072, 85_800_192),
            "facebook/deit-base-distilled-patch16-384": (768, 12, 384, 16, 3072, 86_092_032),
        },
    ),
    *published(
        "dinov2",
        "Oquab et al. 2023, arXiv:2304.07193",
        _SIZES,
        {
            "facebook/dinov2-small": (384, 12, 518, 14, 22_056_576),
            "facebook/dinov2-base": (768, 12, 518, 14, 86_580_480),
            "facebook/dinov2-large": (1024, 24, 518, 14, 304_368_640),
        },
        mlp_ratio=4,
    ),
    *published(
        "dinov2",
        "Oquab et al. 2023, arXiv:2304.07193",
        _SIZES,
        {"facebook/dinov2-giant": (1536, 40, 518, 14, 1_136_480_768)},
        mlp_ratio=4,
        use_swiglu_ffn=True,
    ),
    *published(
        "dinov2_with_registers",
        "Darcet et al. 2023, arXiv:2309.16588",
        _SIZES,
        {
            "facebook/dinov2-with-registers-small": (384, 12, 518, 14, 22_058_112),
            "facebook/dinov2-with-registers-base": (768, 12, 518, 14, 86_583_552),
            "facebook/dinov2-with-registers-large": (1024, 24, 518, 14, 304_372_736),
        },
        mlp_ratio=4,
        num_register_tokens=4,
    ),
    *published(
        "clip_vision_model",
        "Radford et al. 2021, arXiv:2103.00020",
        _SIZES + " intermediate_size",
        {
            "openai/clip-vit-base-patch32/vision": (768, 12, 224, 32, 3072, 87_456_000),
            "openai/clip-vit-base-patch16/vision": (768, 12, 224, 16, 3072, 85_799_424),
            "openai/clip-vit-large-patch14/vision": (1024, 24, 224, 14, 4096, 303_179_776),
        },
    ),
    *published(
        "siglip_vision_model",
        "Zhai et al. 2023, arXiv:2303.15343",
        _SIZES + " intermediate_size",
        {"google/siglip-base-patch16-224/vision": (768, 12, 224, 16, 3072, 92_884_224)},
    ),
    *published(
        "siglip_vision_model",
        "Zhai et al. 2023, arXiv:2303.15343",
        _SIZES,
        {"google/siglip-so400m-patch14-384/vision": (1152, 27, 384, 14, 428_225_600)},
        intermediate_size=4304,
    ),
]
