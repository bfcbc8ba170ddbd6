import Foundation

/// The size of a result that a step may ask for.
struct StepLimits {
    private let side: Int
    private let pixels: Int

    init(_ settings: ServiceSettings) {
        (side, pixels) = (settings.maximumResultSide, settings.maximumResultPixels)
    }

    /// The limits for a message.
    var text: String { "at most \(side) pixels a side and \(pixels) in total" }

    /// Whether the size, in pixels, is within the limits. A side of 0 is free.
    func allow(_ size: CGSize) -> Bool {
        max(size.width, size.height) <= Double(side) && size.width * size.height <= Double(pixels)
    }
}
