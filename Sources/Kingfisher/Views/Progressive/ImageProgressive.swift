public import Foundation

/// Shows a progressive JPEG as it arrives, from a blurred first scan to the whole image.
///
/// Views follow the option; anything else only wants the whole image, and ignores it.
public struct ImageProgressive: Sendable {
    /// What a view shows for an image that is not complete yet.
    public enum UpdatingStrategy: Sendable {
        /// The image as far as it has come.
        case `default`
        /// What it shows already.
        case keepCurrent
        /// This image; nil for an empty view.
        case replace(KFCrossPlatformImage?)
    }

    /// Blurs early scans, goes to the newest one that is complete, and waits for nothing in between.
    public static let `default` = ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 0)

    /// Whether images of early scans are blurred, so that their blocks are not seen.
    public var isBlur: Bool
    /// Whether scans that arrive together are skipped up to the newest one, instead of shown one after the
    /// other.
    public var isFastestScan: Bool
    /// The shortest time between two images, in seconds.
    public var scanInterval: TimeInterval
    /// Asked, on the main thread, with each image before it is shown; `.default` without a closure.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// As `default`, with a delegate of its own.
    public init() {
        self.init(isBlur: true, isFastestScan: true, scanInterval: 0)
    }

    /// `scanInterval` is in seconds.
    public init(isBlur: Bool, isFastestScan: Bool, scanInterval: TimeInterval) {
        self.isBlur = isBlur
        self.isFastestScan = isFastestScan
        self.scanInterval = scanInterval
    }
}
