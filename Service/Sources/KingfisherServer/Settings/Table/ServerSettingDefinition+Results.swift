import Kingfisher
import KingfisherService

/// What is made of sources.
extension ServerSettingDefinition {
    static let results = [
        Self(
            "formats", default: "avif,webp", "up to three of avif, webp, jxl, png; none",
            "The formats that clients are offered by Accept, the preferred one first."
        ) { value, draft throws(SettingReason) in draft.settings.formats = try value.offeredFormats() },
        Self(
            "quality.FORMAT", .family, default: "jpeg 80, webp 79, avif 63, jxl 77", "1…100",
            "The quality of a format if the URL names none."
        ) { value, draft throws(SettingReason) in
            guard
                let format = ServiceSerializer.defaultQualities.keys.first(
                    where: { $0.name.lowercased() == value.member })
            else { throw SettingReason("Formats with a quality are jpeg, webp, avif and jxl.") }
            draft.settings.qualities[format] = try value.number(in: 1...100)
        },
        number(
            "background-pixels", .pixels, in: 0...100_000_000,
            "Larger AVIF and JPEG XL are made after the response, which has a JPEG or PNG for 30 s.",
            \.settings.slowFormats.backgroundPixels),
        number(
            "max-avif-pixels", .pixels, in: 0...100_000_000,
            "Larger results are JPEG or PNG instead of AVIF and JPEG XL.",
            \.settings.slowFormats.maximumPixels),
        Self(
            "hint-widths", default: "160,240,320,480,640,960,1280,1920,2560", "up to 32 widths, none",
            "The widths to which the client hint Sec-CH-Width shrinks the first box of URLs with hints."
        ) { value, draft throws(SettingReason) in
            let widths = try value.list { element throws(SettingReason) in
                try element.number(in: 1...32_768)
            }
            guard widths.count <= 32 else { throw SettingReason("There are at most 32 widths.") }
            draft.settings.hintWidths = widths
        },
        choice(
            "frames", ServiceOptions.Frames.allCases.map { ($0.rawValue, $0) },
            "Which frames of an animation a result has if the URL does not say.", \.settings.frames),
        Self(
            "watermark.NAME", .family, default: nil, "an image file", "The image that watermark:NAME draws."
        ) { value, draft throws(SettingReason) in
            draft.settings.watermarks[try value.name()] = try value.readableFile()
        },
        Self(
            "fallback.NAME", .family, default: nil, "an image file",
            "The image of fallback:NAME, for sources that fail."
        ) { value, draft throws(SettingReason) in
            draft.settings.fallbacks[try value.name()] = try value.readableFile()
        },
    ]

    static let limits = [
        number(
            "max-source-bytes", .bytes, in: 1_024...2 << 30, "The size of a source.",
            \.settings.maximumSourceBytes),
        number(
            "max-source-pixels", .pixels, in: 1...100_000_000, "The pixels of a source.",
            \.settings.maximumSourcePixels),
        number("max-frames", in: 1...10_000, "The frames of a source.", \.settings.maximumFrames),
        number(
            "max-result-side", in: 1...32_768, "The longer side of a result in pixels.",
            \.settings.urls.maximumResultSide),
        number(
            "max-result-pixels", .pixels, in: 1...100_000_000, "The pixels of a result.",
            \.settings.urls.maximumResultPixels),
        number(
            "max-upload", .bytes, in: 1_024...2 << 30, "The size of the body of a POST.",
            \.settings.maximumUploadBytes),
    ]
}

extension SettingValue {
    fileprivate func offeredFormats() throws(SettingReason) -> [ImageFormat] {
        let names = ["avif", "webp", "jxl", "png"]
        let formats = try list { element throws(SettingReason) in
            try element.choice(names.map { ($0, ImageFormat(name: $0.uppercased())) })
        }
        guard formats.count <= 3, Set(formats).count == formats.count else {
            throw SettingReason("At most three formats are offered, each once.")
        }
        return formats
    }
}
