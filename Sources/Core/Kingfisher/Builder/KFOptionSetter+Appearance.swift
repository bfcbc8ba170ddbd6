public import Foundation

extension KFOptionSetter {
    /// Fades in an image from the network; `duration` is in seconds.
    public func fade(duration: TimeInterval) -> Self {
        setting(\.transition, to: .fade(duration))
    }

    /// Keeps the current image of a view until the new one is loaded. The placeholder is shown only in an
    /// empty view.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> Self {
        setting(\.keepCurrentImageWhileLoading, to: enabled)
    }

    /// Shows an image of `source`, or with nil any smaller image in memory, until the image is loaded; see
    /// `KingfisherOptionsInfoItem.lowResolution`. Not part of the original library.
    public func lowResolution(_ source: Source?) -> Self {
        setting(\.lowResolution, to: .some(source))
    }

    /// Shows the new content of a local file when it changes; see `KingfisherOptionsInfoItem.watchesFile`.
    /// Not part of the original library.
    public func watchesFile(_ enabled: Bool = true) -> Self {
        setting(\.watchesFile, to: enabled)
    }

    /// Shows only the first frame of an animation.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        setting(\.onlyLoadFirstFrame, to: enabled)
    }

    /// Decodes the image to the size and scale factor of the image view.
    ///
    /// Other targets ignore it; see `KingfisherOptionsInfoItem.decodesToViewSize`. Not part of the original
    /// library.
    public func decodesToViewSize(_ enabled: Bool = true) -> Self {
        setting(\.decodesToViewSize, to: enabled)
    }
}
