public import Foundation

/// Shows a progressive JPEG during its download, from a blurred first scan to the complete image.
///
/// Loads into views and `KingfisherManager.imageEvents(for:options:)` use this option; other loads ignore it.
public struct ImageProgressive: Sendable {
    /// What a view shows for an incomplete image.
    public enum UpdatingStrategy: Sendable {
        /// The image decoded from the scans so far.
        case `default`
        /// The current image.
        case keepCurrent
        /// This image; nil for an empty view.
        case replace(KFCrossPlatformImage?)
    }

    /// Blurs early scans, skips to the newest complete scan, and has no minimum interval.
    public static let `default` = ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 0)

    /// Whether early scans are blurred, to hide their blocks.
    public var isBlur: Bool
    /// Whether only the newest of several complete scans is shown, instead of each in sequence.
    public var isFastestScan: Bool
    /// The minimum interval between two images, in seconds.
    public var scanInterval: TimeInterval
    /// Called on the main thread with each image before a view shows it; `.default` without a closure. Not
    /// called for the events of a load, whose consumer decides.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// Creates the same settings as `default`, with a separate delegate.
    public init() {
        self.init(isBlur: true, isFastestScan: true, scanInterval: 0)
    }

    /// Creates settings; `scanInterval` is in seconds.
    public init(isBlur: Bool, isFastestScan: Bool, scanInterval: TimeInterval) {
        self.isBlur = isBlur
        self.isFastestScan = isFastestScan
        self.scanInterval = scanInterval
    }
}
