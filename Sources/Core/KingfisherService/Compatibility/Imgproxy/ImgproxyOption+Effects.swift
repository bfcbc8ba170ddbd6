extension ImgproxyOption {
    private static let sigmas = 0.0...1_000

    /// What changes pixels without another size, and padding.
    static let effects = [
        ImgproxyOption("padding", "pd", arguments: 4) { $0.padding = try padding($1) },
        ImgproxyOption("background", "bg", arguments: 3) { $0.background = try background($1) },
        ImgproxyOption("blur", "bl") {
            $0.blur = try $1.decimal(in: sigmas)
            guard $0.blur == 0 || $0.blur >= 2 else { throw $1.unsupported("below 2", "blur starts at 2") }
        },
        ImgproxyOption("sharpen", "sh") { $0.sharpening = try $1.decimal(in: sigmas) },
        ImgproxyOption("pixelate", "pix") { $0.pixelation = try $1.whole(in: 0...1_000_000) },
        ImgproxyOption("watermark", "wm", arguments: 5) { $0.watermark = try watermark($1) },
        ImgproxyOption("adjust", "a", arguments: 3) {
            $0.brightness = try brightness($1) ?? $0.brightness
            $0.contrast = try $1.decimalIfAny(1, in: 0...10) ?? $0.contrast
            $0.saturation = try $1.decimalIfAny(2, in: 0...10) ?? $0.saturation
        },
        ImgproxyOption("brightness", "br") { $0.brightness = try $1.required(brightness($1)) },
        ImgproxyOption("contrast", "co") { $0.contrast = try $1.decimal(in: 0...10) },
        ImgproxyOption("saturation", "sa") { $0.saturation = try $1.decimal(in: 0...10) },
    ]

    private static func padding(
        _ arguments: ImgproxyArguments
    ) throws(ServiceError) -> ImgproxyOptions.Padding {
        let sides = 0...1_000_000
        let top = try arguments.wholeIfAny(0, in: sides) ?? 0
        let right = try arguments.wholeIfAny(1, in: sides) ?? top
        let bottom = try arguments.wholeIfAny(2, in: sides) ?? top
        let left = try arguments.wholeIfAny(3, in: sides) ?? right
        return ImgproxyOptions.Padding(top: top, right: right, bottom: bottom, left: left)
    }

    private static func background(_ arguments: ImgproxyArguments) throws(ServiceError) -> String? {
        if arguments.fields.count == 3, let color = CompatibleColor.components(arguments.fields) {
            return color
        }
        guard arguments.fields.count <= 1 else { throw arguments.invalid("R:G:B from 0 to 255") }
        guard let digits = arguments.text(0) else { return nil }
        guard let color = CompatibleColor.hexadecimal(digits) else {
            throw arguments.invalid("three or six hexadecimal digits")
        }
        return color
    }

    private static func watermark(
        _ arguments: ImgproxyArguments
    ) throws(ServiceError) -> ImgproxyOptions.Watermark? {
        let opacity = try arguments.decimal(in: 0...1)
        let position = arguments.text(1) ?? "ce"
        guard position != "re", position != "ch" else {
            throw arguments.unsupported(position, "the watermark is drawn once")
        }
        guard let anchor = ImgproxyGravity.anchors[position] else { throw arguments.invalid("a position") }
        for (index, what) in [(2, "offset"), (3, "offset"), (4, "scale")]
        where try arguments.decimalIfAny(index, in: -1_000_000...1_000_000) ?? 0 != 0 {
            throw arguments.unsupported("with \(what)", "the watermark is drawn at its size, at an edge")
        }
        return opacity == 0 ? nil : ImgproxyOptions.Watermark(opacity: opacity, anchor: anchor)
    }

    private static func brightness(_ arguments: ImgproxyArguments) throws(ServiceError) -> Int? {
        guard let number = try arguments.decimalIfAny(0, in: -255...255) else { return nil }
        guard number == number.rounded() else { throw arguments.invalid("a whole number") }
        return Int(number)
    }
}
