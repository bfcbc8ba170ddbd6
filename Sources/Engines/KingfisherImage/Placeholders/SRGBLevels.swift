import Foundation

/// 8-bit sRGB levels to linear light and back, by tables.
enum SRGBLevels {
    /// The linear value of each level.
    static let linear: [Double] = (0...255).map { Double(SRGB.linear(CGFloat($0) / 255)) }

    /// The level nearest to a linear value. Values outside 0...1 are clamped; NaN counts as 0.
    static func level(_ value: Double) -> UInt8 {
        guard value > 0 else { return 0 }
        guard value < 1 else { return 255 }
        var level = Int(starts[Int(value * Double(steps))])
        while level < 255, value >= thresholds[level + 1] { level += 1 }
        return UInt8(level)
    }

    /// The least value of each level.
    private static let thresholds: [Double] = (0...255).map { level in
        level == 0 ? 0 : Double(SRGB.linear((CGFloat(level) - 0.5) / 255))
    }

    private static let steps = 4096
    /// The level at the start of each step of the linear range; no step has more than two levels.
    private static let starts: [UInt8] = (0..<steps).map { step in
        let start = Double(step) / Double(steps)
        return UInt8((thresholds.firstIndex { $0 > start } ?? 256) - 1)
    }
}
