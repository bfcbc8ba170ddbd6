import Foundation

/// The size of a result that a step may ask for.
struct StepLimits {
    private let side: Double
    private let pixels: Double

    init(_ settings: ServiceSettings) {
        side = Double(settings.maximumResultSide)
        pixels = Double(settings.maximumResultPixels)
    }

    /// Whether the size, in pixels, is within the limits. A side of 0 is free.
    func allow(_ size: CGSize) -> Bool {
        size.width <= side && size.height <= side && size.width * size.height <= pixels
    }
}
