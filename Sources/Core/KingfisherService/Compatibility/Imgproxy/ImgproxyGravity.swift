/// Which part of an image is kept: an edge, a corner or the centre with an offset, or a focal point.
struct ImgproxyGravity: Hashable {
    var anchor = CompatibleAnchor.center
    /// Whether `anchor` is the point that is kept; otherwise it is the position of the part.
    var isFocalPoint = false
    /// Pixels from the anchor; less than 1 is relative.
    var offset = CompatibleAnchor(x: 0, y: 0)

    var hasOffset: Bool { offset != CompatibleAnchor(x: 0, y: 0) }

    /// Reads a type and what it needs; throws 400 for types that need the image's content.
    init(_ arguments: ImgproxyArguments, smartCrop: ServiceSettings.SmartCrop) throws(ServiceError) {
        let type = try arguments.required(arguments.text(0))
        if let anchor = Self.anchors[type] {
            try arguments.check(maximum: 3)
            self.anchor = anchor
            offset.x = try arguments.decimalIfAny(1, in: Self.offsets) ?? 0
            offset.y = try arguments.decimalIfAny(2, in: Self.offsets) ?? 0
        } else if type == "fp" {
            try arguments.check(maximum: 3)
            isFocalPoint = true
            anchor.x = try arguments.decimal(1, in: 0...1)
            anchor.y = try arguments.decimal(2, in: 0...1)
        } else {
            guard type == "sm" || type.utf8.starts(with: "obj".utf8) else {
                throw arguments.invalid(Self.expected)
            }
            guard type == "sm", smartCrop == .center else {
                throw arguments.unsupported(type.asName, "there is no crop by content")
            }
            try arguments.check(maximum: 1)
        }
    }

    init() {}

    /// As for results: throws 400 if there is an offset.
    func withoutOffset(_ arguments: ImgproxyArguments) throws(ServiceError) -> ImgproxyGravity {
        guard !hasOffset else { throw arguments.unsupported("with an offset", "only crop has offsets") }
        return self
    }

    private static let offsets = -1_000_000.0...1_000_000

    private static let expected = "no, so, ea, we, noea, nowe, soea, sowe, ce or fp"

    /// The anchor of a type of gravity that has no arguments.
    static let anchors: [Substring: CompatibleAnchor] = [
        "ce": .center, "nowe": .topLeft,
        "no": CompatibleAnchor(y: 0), "so": CompatibleAnchor(y: 1),
        "we": CompatibleAnchor(x: 0), "ea": CompatibleAnchor(x: 1),
        "noea": CompatibleAnchor(x: 1, y: 0), "sowe": CompatibleAnchor(x: 0, y: 1),
        "soea": CompatibleAnchor(x: 1, y: 1),
    ]
}
