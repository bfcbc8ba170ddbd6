/// One step of `-p`: what to do with a picture, read from `name:arguments`.
///
/// Sizes are pixels, because the tool works at scale 1. A value that got through `init(_:)` is in bounds.
enum ProcessingStep: Hashable, Sendable {
    /// Stretches to the size, or keeps the proportions inside it (`fit`) or around it (`fill`).
    case resize(Extent, Resizing)
    /// Shrinks while decoding, so that the picture fits the size.
    case downsample(Extent)
    /// Cuts out the size at an anchor: 0,0 is the top left, 1,1 the bottom right.
    case crop(Extent, Anchor)
    /// Rounds the corners.
    case round(radius: Double)
    /// Blurs.
    case blur(radius: Double)

    enum Resizing: String, Sendable, CaseIterable {
        case stretch, fit, fill
    }

    struct Anchor: Hashable, Sendable {
        var x = 0.5
        var y = 0.5
    }

    /// Reads a step, such as `crop:200x100,0,1`.
    init(_ text: String) throws(ProcessingStepError) {
        let (name, rest) = text.split(at: ":")
        guard let kind = Kind(rawValue: name) else { throw .unknownStep(name) }
        guard let rest, !rest.isEmpty else { throw .missingArguments(kind) }
        var arguments = Arguments(rest, of: kind)
        switch kind {
        case .resize: self = .resize(try arguments.extent(), try arguments.resizing())
        case .downsample: self = .downsample(try arguments.extent())
        case .crop: self = .crop(try arguments.extent(), try arguments.anchor())
        case .round: self = .round(radius: try arguments.number(in: Bounds.cornerRadius))
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
        static let blurRadius = 0.1...1_000.0
    }
}

extension String {
    /// The text before the first `separator`, and the text after it; nil without a separator.
    func split(at separator: Character) -> (head: String, tail: String?) {
        guard let index = firstIndex(of: separator) else { return (self, nil) }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }
}
