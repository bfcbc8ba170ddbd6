/// A processing step for an image, parsed from text such as `crop:200x100,0,1`: a name, a colon and
/// arguments.
///
/// The syntax is that of `kingfisher get -p`, for tools and servers that accept steps from users. The module
/// depends on no other module. If `Kingfisher` is imported, too, `processor` returns the matching processor.
/// Sizes are in pixels. The results of `init(_:)` are within bounds: sides of at most 32,768 pixels, results
/// of at most 100 megapixels.
public enum ProcessingStep: Hashable, Sendable {
    /// Stretches to the size, or keeps the aspect ratio inside (`fit`) or around it (`fill`).
    case resize(Extent, Resizing)
    /// Shrinks while decoding, so that the longer side of the image is at most the longer side of the size.
    case downsample(Extent)
    /// Cuts out the size at an anchor: 0,0 is the top left, 1,1 the bottom right.
    case crop(Extent, Anchor)
    /// Rounds corners; the area outside shows the background, or is transparent.
    case round(Length, Set<Corner>, background: Color?)
    /// Draws a line along the inside of the edge.
    case border(width: Double, Color, radius: Length, Set<Corner>)
    /// Draws a colour over the image, which shows through by a fraction.
    case overlay(Color, fraction: Double)
    /// Draws a colour over the image, with the colour's opacity.
    case tint(Color)
    /// Changes brightness, contrast, saturation and exposure.
    case color(brightness: Double, contrast: Double, saturation: Double, exposure: Double)
    /// Converts to greyscale.
    case blackWhite
    /// Draws the image by a blend mode on a canvas, which is transparent or has a colour.
    case blend(BlendMode, alpha: Double, background: Color?)
    /// Blurs with a radius in pixels.
    case blur(radius: Double)
    /// Sharpens by an unsharp mask with a radius in pixels.
    case sharpen(radius: Double, amount: Double)
    /// Turns clockwise by quarter turns.
    case rotate(quarterTurns: Int)
    /// Exchanges left and right, or top and bottom.
    case flip(Axis)
    /// Places the image on a canvas of a size, which is transparent or has a colour.
    case pad(Extent, Anchor, background: Color?)
    /// Removes edges of one colour; 1 is the whole range of a channel.
    case trim(tolerance: Double)
    /// Fills the size and crops around a point.
    case focus(Extent, Anchor)
    /// Draws the image with a name, which the program resolves.
    case watermark(name: String, Anchor, opacity: Double)

    /// How an image is fitted to a size.
    public enum Resizing: String, Sendable, CaseIterable {
        /// Both sides become those of the size.
        case stretch
        /// Keeps the aspect ratio, inside the size.
        case fit
        /// Keeps the aspect ratio, around the size.
        case fill
    }

    /// The sides that a flip exchanges.
    public enum Axis: String, Sendable, CaseIterable {
        /// Left and right.
        case horizontal
        /// Top and bottom.
        case vertical
    }

    /// A position in an image as fractions of its sides; 0, 0 is the top left.
    public struct Anchor: Hashable, Sendable {
        /// The distance from the left, 0 to 1.
        public let x: Double
        /// The distance from the top, 0 to 1.
        public let y: Double

        /// Creates an anchor; the centre by default.
        public init(x: Double = 0.5, y: Double = 0.5) {
            (self.x, self.y) = (x, y)
        }

        /// The names of edges and corners.
        static let names: [(name: String, anchor: Anchor)] = [
            ("center", Anchor()), ("top", Anchor(y: 0)), ("bottom", Anchor(y: 1)), ("left", Anchor(x: 0)),
            ("right", Anchor(x: 1)), ("topLeft", Anchor(x: 0, y: 0)), ("topRight", Anchor(x: 1, y: 0)),
            ("bottomLeft", Anchor(x: 0, y: 1)), ("bottomRight", Anchor(x: 1, y: 1)),
        ]
    }

    /// A width and a height in pixels.
    public struct Extent: Hashable, Sendable {
        /// Pixels per row.
        public let width: Double
        /// The number of rows.
        public let height: Double

        /// Creates a size without checks; sizes parsed from text are checked.
        public init(width: Double, height: Double) {
            (self.width, self.height) = (width, height)
        }
    }

    /// A radius in pixels, or as a percentage of a side of the image.
    public enum Length: Hashable, Sendable {
        /// Written as a plain number.
        case pixels(Double)
        /// Written with the suffix `%w`.
        case percentOfWidth(Double)
        /// Written with the suffix `%h`.
        case percentOfHeight(Double)
    }

    /// A corner, with its abbreviation as raw value.
    public enum Corner: String, Sendable, CaseIterable {
        /// Written `tl`.
        case topLeft = "tl"
        /// Written `tr`.
        case topRight = "tr"
        /// Written `bl`.
        case bottomLeft = "bl"
        /// Written `br`.
        case bottomRight = "br"
    }

    /// Parses a step, such as `crop:200x100,0,1`. The description of an error says what is expected.
    public init(_ text: String) throws(ProcessingStepError) {
        let colon = text.firstIndex(of: ":")
        let name = String(text[..<(colon ?? text.endIndex)])
        guard let kind = Kind(rawValue: name) else { throw .unknownStep(name) }
        var arguments = try Arguments(colon.map { text[text.index(after: $0)...] }, of: kind)
        switch kind {
        case .resize: self = .resize(try arguments.extent(), try arguments.resizing())
        case .downsample: self = .downsample(try arguments.extent())
        case .crop: self = .crop(try arguments.extent(), try arguments.anchor())
        case .round: self = try Self.round(&arguments)
        case .border: self = try Self.border(&arguments)
        case .overlay:
            self = .overlay(
                try arguments.color(), fraction: try arguments.numberIfAny(in: Bounds.fraction) ?? 0.5)
        case .tint: self = .tint(try arguments.color())
        case .color: self = try Self.color(&arguments)
        case .bw: self = .blackWhite
        case .blend:
            self = .blend(
                try arguments.blendMode(), alpha: try arguments.numberIfAny(in: Bounds.fraction) ?? 1,
                background: try arguments.colorIfAny())
        case .blur: self = .blur(radius: try arguments.number(in: Bounds.blurRadius))
        case .sharpen:
            self = .sharpen(
                radius: try arguments.number(in: Bounds.sharpenRadius),
                amount: try arguments.numberIfAny(in: Bounds.factor) ?? 1)
        case .rotate: self = .rotate(quarterTurns: try arguments.quarterTurns())
        case .flip: self = .flip(try arguments.axis())
        case .pad:
            self = .pad(
                try arguments.extent(), try arguments.anchor(), background: try arguments.colorIfAny())
        case .trim: self = .trim(tolerance: try arguments.numberIfAny(in: Bounds.fraction) ?? 0.04)
        case .focus: self = .focus(try arguments.extent(), try arguments.position())
        case .watermark: self = try Self.watermark(&arguments)
        }
        try arguments.end()
    }

    private static func round(_ arguments: inout Arguments) throws(ProcessingStepError) -> ProcessingStep {
        .round(
            try arguments.length(in: Bounds.cornerRadius), try arguments.corners(),
            background: try arguments.colorIfAny())
    }

    private static func watermark(
        _ arguments: inout Arguments
    ) throws(ProcessingStepError) -> ProcessingStep {
        .watermark(
            name: try arguments.name(), try arguments.anchor(orAtEnd: Anchor(x: 1, y: 1)),
            opacity: try arguments.numberIfAny(in: Bounds.fraction) ?? 1)
    }

    private static func border(_ arguments: inout Arguments) throws(ProcessingStepError) -> ProcessingStep {
        .border(
            width: try arguments.number(in: Bounds.lineWidth), try arguments.color(),
            radius: try arguments.lengthIfAny(in: Bounds.borderRadius) ?? .pixels(0), try arguments.corners())
    }

    private static func color(_ arguments: inout Arguments) throws(ProcessingStepError) -> ProcessingStep {
        .color(
            brightness: try arguments.number(in: Bounds.brightness),
            contrast: try arguments.number(in: Bounds.factor),
            saturation: try arguments.number(in: Bounds.factor),
            exposure: try arguments.numberIfAny(in: Bounds.exposure) ?? 0)
    }

    /// Limits for untrusted text; they exceed any practical need but cannot exhaust a machine's memory.
    enum Bounds {
        static let side = 1.0...32_768.0
        /// The maximum pixels of a result, the library's default limit for a frame.
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
        static let sharpenRadius = 0.3...10.0
    }
}
