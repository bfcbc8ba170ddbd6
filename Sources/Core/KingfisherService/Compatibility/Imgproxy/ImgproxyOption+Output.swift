import Kingfisher
import KingfisherImage

extension ImgproxyOption {
    /// The file, its name and its metadata, and what the URL itself says.
    static let output = [
        ImgproxyOption("quality", "q") { $0.output.quality = nonzero(try $1.whole(in: 0...100)) },
        ImgproxyOption("format_quality", "fq", arguments: 64) { try setQualities(&$0.output, $1) },
        ImgproxyOption("max_bytes", "mb") {
            $0.output.maximumBytes = nonzero(try $1.whole(in: 0...1_000_000_000))
        },
        ImgproxyOption("format", "f", "ext") {
            let name = try $1.required($1.text(0))
            $0.output.format = .exactly(try CompatibleFormat.format(name, of: $1.option))
        },
        ImgproxyOption("cachebuster", "cb") { $0.output.version = $1.text(0).map { String($0) } },
        ImgproxyOption("expires", "exp") {
            $0.output.expires = nonzero(try $1.whole(in: ServiceOptionDefinition.expirations))
        },
        ImgproxyOption("filename", "fn", arguments: 2) { $0.output.filename = try filename($1) },
        ImgproxyOption("return_attachment", "att") { $0.output.isAttachment = try $1.flag() },
        ImgproxyOption(["preset", "pr"], .presets),
        ImgproxyOption("ct", arguments: 8) { $0.output.tags = try tags($1) },
        ImgproxyOption("disable_animation", "da") { $0.output.frames = try $1.flag() ? .first : nil },
        ImgproxyOption("strip_metadata", "sm") { $0.stripsMetadata = try $1.flag() },
        ImgproxyOption("keep_copyright", "kcr") { $0.keepsCopyright = try $1.flag() },
        fixed("strip_color_profile", "scp", is: true, otherwise: "results are in sRGB"),
        fixed("preserve_hdr", "ph", is: false, otherwise: "HDR is tone-mapped"),
        fixed("enforce_thumbnail", "eth", is: false, otherwise: "embedded thumbnails are not used"),
    ]

    private static func nonzero(_ number: Int) -> Int? { number == 0 ? nil : number }

    private static func setQualities(
        _ options: inout ServiceOptions, _ arguments: ImgproxyArguments
    ) throws(ServiceError) {
        guard !arguments.fields.isEmpty, arguments.fields.count.isMultiple(of: 2) else {
            throw arguments.invalid("pairs of a format and a quality")
        }
        for index in stride(from: 0, to: arguments.fields.count, by: 2) {
            let name = try arguments.required(arguments.text(index))
            let format = try CompatibleFormat.format(name, of: arguments.option)
            options.formatQualities[format] = nonzero(try arguments.whole(index + 1, in: 0...100))
        }
    }

    private static func filename(_ arguments: ImgproxyArguments) throws(ServiceError) -> String? {
        guard let text = arguments.text(0) else { return nil }
        let isBase64 = try arguments.flagIfAny(1) ?? false
        let name =
            isBase64
            ? Base64URL.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
            : try? PercentEncoding.decode(text)
        guard let name else { throw arguments.invalid("a name, in Base64 if the second argument is 1") }
        return name
    }

    private static func tags(_ arguments: ImgproxyArguments) throws(ServiceError) -> [String] {
        guard arguments.fields.allSatisfy({ NameText.isValid($0) }) else {
            throw arguments.invalid("tags of at most 64 letters, digits, '.', '_' and '-'")
        }
        return arguments.fields.map { String($0) }
    }
}
