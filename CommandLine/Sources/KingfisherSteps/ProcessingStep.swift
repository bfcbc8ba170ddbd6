public import Kingfisher

/// One step of `-p`: what to do with a picture, read from `name:arguments`.
///
/// Sizes are pixels, because the tool works at scale 1. A value that got through `init(_:)` is in bounds.
public enum ProcessingStep: Hashable, Sendable {
    /// Stretches to the size, or keeps the proportions inside it (`fit`) or around it (`fill`).
    case resize(Extent, Resizing)
    /// Shrinks while decoding, so that the picture fits the size.
    case downsample(Extent)
    /// Cuts out the size at an anchor: 0,0 is the top left, 1,1 the bottom right.
    case crop(Extent, Anchor)
    /// Rounds corners; behind them the background shows, or nothing.
    case round(Length, Set<Corner>, background: Color?)
    /// Draws a line along the inside of the edge.
    case border(width: Double, Color, radius: Length, Set<Corner>)
    /// Lays a colour over the picture, of which a fraction shows through.
    case overlay(Color, fraction: Double)
    /// Draws a colour over the picture, with the colour's opacity.
    case tint(Color)
    /// Changes brightness, contrast, saturation and exposure.
    case color(brightness: Double, contrast: Double, saturation: Double, exposure: Double)
    /// Makes greys of colours.
    case blackWhite
    /// Draws the picture by a blend mode on a canvas of a colour, or a transparent one.
    case blend(BlendMode, alpha: Double, background: Color?)
    /// Blurs.
    case blur(radius: Double)

    /// How a picture is fitted to a size.
    public enum Resizing: String, Sendable, CaseIterable {
        case stretch, fit, fill
    }

    /// A place in a picture, in fractions of its sides.
    public struct Anchor: Hashable, Sendable {
        var x = 0.5
        var y = 0.5
    }

    /// A width and a height in pixels.
    public struct Extent: Hashable, Sendable {
        let width: Double
        let height: Double
    }

    /// A radius in pixels, or in hundredths of a side of the picture.
    public enum Length: Hashable, Sendable {
        case pixels(Double)
        case percentOfWidth(Double)
        case percentOfHeight(Double)
    }

    /// A corner, by its initials.
    public enum Corner: String, Sendable, CaseIterable {
        case topLeft = "tl"
        case topRight = "tr"
        case bottomLeft = "bl"
        case bottomRight = "br"
    }

    /// Reads a step, such as `crop:200x100,0,1`.
    public init(_ text: String) throws(ProcessingStepError) {
        let colon = text.firstIndex(of: ":")
        let name = String(text[..<(colon ?? text.endIndex)])
        guard let kind = Kind(rawValue: name) else { throw .unknownStep(name) }
        var arguments = try Arguments(colon.map { text[text.index(after: $0)...] }, of: kind)
        switch kind {
        case .resize: self = .resize(try arguments.extent(), try arguments.resizing())
        case .downsample: self = .downsample(try arguments.extent())
        case .crop: self = .crop(try arguments.extent(), try arguments.anchor())
        case .round:
            self = .round(
                try arguments.length(in: Bounds.cornerRadius), try arguments.corners(),
                background: try arguments.colorIfAny())
        case .border:
            self = .border(
                width: try arguments.number(in: Bounds.lineWidth), try arguments.color(),
                radius: try arguments.lengthIfAny(in: Bounds.borderRadius) ?? .pixels(0),
                try arguments.corners())
        case .overlay:
            self = .overlay(
                try arguments.color(), fraction: try arguments.numberIfAny(in: Bounds.fraction) ?? 0.5)
        case .tint: self = .tint(try arguments.color())
        case .color:
            self = .color(
                brightness: try arguments.number(in: Bounds.brightness),
                contrast: try arguments.number(in: Bounds.factor),
                saturation: try arguments.number(in: Bounds.factor),
                exposure: try arguments.numberIfAny(in: Bounds.exposure) ?? 0)
        case .bw: self = .blackWhite
        case .blend:
            self = .blend(
                try arguments.blendMode(), alpha: try arguments.numberIfAny(in: Bounds.fraction) ?? 1,
                background: try arguments.colorIfAny())
        case .blur: self = .blur(radius: try arguments.number(in: Bounds.blurRadius))
        }
        try arguments.end()
    }

    /// What a step may ask for; more than any picture needs, and nothing that could exhaust a machine.
    enum Bounds {
        static let side = 1.0...32_768.0
        /// Pixels of a result; what the library accepts of a frame.
        static let maximumArea = 100_000_000.0
        static let cornerRadius = 0.1...32_768.0
        static let borderRadius = 0.0...32_768.0
        static let lineWidth = 0.1...32_768.0
        static let percent = 0.0...100.0
        static let fraction = 0.0...1.0
        static let brightness = -1.0...1.0
        static let factor = 0.0...10.0
        static let exposure = -10.0...10.0
        static let blurRadius = 0.1...1_000.0
    }
}
