/// An edge, a corner or the centre, as fractions of the sides; (0, 0) is the top left.
struct CompatibleAnchor: Hashable {
    var x = 0.5
    var y = 0.5

    static let center = CompatibleAnchor()
    static let topLeft = CompatibleAnchor(x: 0, y: 0)

    /// The name in steps; nil for another point.
    var name: String? { Self.names[self] }

    /// The argument of a step, after a comma; empty for the centre, which is the default.
    var argument: String {
        guard self != .center else { return "" }
        return ",\(name ?? "\(PlainNumber.text(x)),\(PlainNumber.text(y))")"
    }

    private static let names: [CompatibleAnchor: String] = [
        .center: "center", CompatibleAnchor(y: 0): "top", CompatibleAnchor(y: 1): "bottom",
        CompatibleAnchor(x: 0): "left", CompatibleAnchor(x: 1): "right", .topLeft: "topLeft",
        CompatibleAnchor(x: 1, y: 0): "topRight", CompatibleAnchor(x: 0, y: 1): "bottomLeft",
        CompatibleAnchor(x: 1, y: 1): "bottomRight",
    ]
}
