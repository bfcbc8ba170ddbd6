import KingfisherImage

extension ServiceOptionDefinition {
    /// The options, in the order of canonical paths.
    public static let all = encoding + naming + validity + contents

    /// Until the end of the year 9999.
    static let expirations = 0...253_402_300_799

    /// Replaced by the steps and options of the presets, so that no request has it.
    static let preset = Self(
        "preset:A[,B…]", example: "preset:card,small", default: "none",
        """
        Runs the steps of presets at this place. Their options apply unless the URL has the same option; of \
        presets with the same option, the last one counts.
        """
    ) { argument, _ in
        argument.map { NameText.list($0, maximum: 32) != nil } ?? false
    } write: { _ in
        nil
    }

    static let format = Self(
        "format:NAME|original|auto", example: "format:avif", default: "auto",
        """
        The format: \(OutputFormat.names); `original` for the format of the source if it can be written; \
        `auto` chooses by the `Accept` field. `@NAME` after the source is the same.
        """, read: FormatArgument.read, write: FormatArgument.write)

    private static let encoding = [
        Self(
            "quality:1…100[,FORMAT=1…100…]", example: "quality:80,webp=70",
            default: "by format: jpeg 80, webp 79, avif 63, jxl 77",
            "The quality of lossy formats, or of some formats; the general one may be omitted.",
            read: QualityArgument.read, write: QualityArgument.write),
        flag("lossless", "Encodes without loss, in formats with both encodings.", \.isLossless),
        number(
            "effort:0…10", example: "effort:7", default: "by format",
            "Time spent on a smaller file, from 0 (fastest) to 10 (smallest).", in: 0...10, \.effort),
        number(
            "colors:2…256", example: "colors:64", default: "all, 256 in GIF",
            "The most colours of a PNG still or of a GIF frame.", in: 2...256, \.maximumColors),
        flag("progressive", "Writes a JPEG in several scans.", \.isProgressive),
        choice(
            "chroma:444|422|420", example: "chroma:444", default: "by quality",
            "The resolution of chroma in JPEG and lossy AVIF.", \.chroma),
        number(
            "maximumBytes:N", example: "maximumBytes:20000", default: "no limit",
            "The most bytes of the file; status 422 if no encoding is small enough.", in: 1...Int.max,
            \.maximumBytes),
        format,
    ]

    private static let naming = [
        preset,
        text(
            "fallback:NAME", example: "fallback:grey", default: "none",
            "The configured image that replaces a source that cannot be fetched or decoded.", \.fallback
        ) { NameText.isValid($0) },
        Self(
            "tag:A[,B…]", example: "tag:product-17,home", default: "none",
            "At most 8 tags, each of 1 to 64 of `A-Za-z0-9._-`, for purging and `Surrogate-Key`."
        ) { argument, options in
            options.tags = argument.flatMap { NameText.list($0, maximum: 8) } ?? []
            return !options.tags.isEmpty
        } write: {
            $0.tags.isEmpty ? nil : $0.tags.joined(separator: ",")
        },
    ]

    private static let validity = [
        text(
            "version:TEXT", example: "version:7", default: "none",
            """
            Part of the key of the source: another version, by its bytes, is fetched again. Responses are \
            `immutable`.
            """, \.version
        ) { !$0.isEmpty },
        number(
            "expires:UNIX", example: "expires:1893456000", default: "never",
            """
            The last second, since 1970, in which the URL is valid, up to 253402300799 (year 9999); then \
            status 410. Uploads need it.
            """,
            in: expirations, \.expires),
        number(
            "maximumAge:SECONDS", example: "maximumAge:3600", default: "`ttl` of the configuration",
            "How long clients may use the response, up to a year; never past `expires`.",
            in: 0...31_536_000, \.maximumAge),
    ]

    private static let contents = [
        choice(
            "frames:first|all", example: "frames:all", default: "`frames` of the configuration",
            "The frames of an animation that the result has.", \.frames),
        Self(
            "metadata:none|copyright|keep", example: "metadata:copyright", default: "none",
            """
            The metadata that the result has; `copyright` keeps copyright and creator of EXIF, XMP and IPTC.
            """
        ) { argument, options in
            guard let metadata = argument.flatMap({ ServiceOptions.Metadata.named($0) }) else { return false }
            options.metadata = metadata
            return true
        } write: {
            $0.metadata == .none ? nil : $0.metadata.rawValue
        },
        text(
            "filename:NAME", example: "filename:p%20q.jpg", default: "none",
            "The file name in `Content-Disposition`, of 1 to 255 bytes without `/` and `\\`.", \.filename
        ) { (1...255).contains($0.utf8.count) && !$0.utf8.contains { "/\\".utf8.contains($0) } },
        flag("attachment", "Makes browsers save the file (`Content-Disposition`).", \.isAttachment),
        flag(
            "hints", "The client hint Sec-CH-Width may shrink the first box.", \.usesHints),
        flag("blurhash", "Adds the BlurHash. Only below `/info`.", \.hasBlurHash, kind: .information),
        flag("thumbhash", "Adds the ThumbHash. Only below `/info`.", \.hasThumbHash, kind: .information),
    ]
}
