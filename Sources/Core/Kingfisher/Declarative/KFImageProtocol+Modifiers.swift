public import Foundation
public import KingfisherImage

extension KFImageProtocol {
    /// Shows the view that `content` returns while loading, and after a failure unless there is a failure
    /// view.
    ///
    /// `content` runs on the main actor, once before the load and after each change of the progress, which is
    /// indeterminate (0 of 0 units) until the size of the download is known; units are bytes. To keep state,
    /// such as the motion of a spinner, return the same view each time. The view is laid out in the image
    /// view by its `placement`, by default filling it.
    public func placeholder(_ content: @escaping @MainActor @Sendable (Progress) -> View) -> Self {
        changing { $0.waiting = .view(content, followsProgress: true) }
    }

    /// Shows the view that `content` returns while loading, and after a failure unless there is a failure
    /// view.
    ///
    /// `content` runs on the main actor, once for each load.
    public func placeholder(_ content: @escaping @MainActor @Sendable () -> View) -> Self {
        changing { $0.waiting = .view({ _ in content() }, followsProgress: false) }
    }

    /// Shows `placeholder` while loading, and after a failure unless there is a failure view.
    ///
    /// A view can be in one image view only; for a value that several views show, use a closure.
    @MainActor public func placeholder(_ placeholder: (any Placeholder)?) -> Self {
        changing { $0.waiting = .placeholder { placeholder } }
    }

    /// Shows `image` while loading, and after a failure unless there is a failure view.
    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        changing { $0.waiting = .placeholder { image } }
    }

    /// Shows the view that `content` returns after a failure, in place of the placeholder.
    ///
    /// It has precedence over `onFailureImage(_:)`. `content` runs on the main actor, once for each failure.
    public func onFailureView(_ content: @escaping @MainActor @Sendable () -> View) -> Self {
        changing { $0.failureView = content }
    }

    /// Sets the description of the image for users who do not see it; empty for a decorative image. See
    /// `View.alternativeText`.
    public func alternativeText(_ text: String?) -> Self {
        changing { $0.alternativeText = text }
    }

    /// Runs `block` with the view: when it is made and at each update, before a load starts.
    ///
    /// Several blocks run in the order of their modifiers. They may set any property but the image.
    public func configure(_ block: @escaping @MainActor @Sendable (HoldingView) -> Void) -> Self {
        changing { $0.configurations.append(block) }
    }
}

extension KFImageProtocol {
    /// Scales the image to the size of its view: stretched, unless `scaledToFit()` or `scaledToFill()` is
    /// set.
    public func resizable() -> Self {
        changing { $0.isResizable = true }
    }

    /// Scales a resizable image to the largest size that fits into its view, with its aspect ratio.
    public func scaledToFit() -> Self {
        changing { $0.scaling = .scaleAspectFit }
    }

    /// Scales a resizable image to the smallest size that covers its view, with its aspect ratio; the rest is
    /// cropped.
    public func scaledToFill() -> Self {
        changing { $0.scaling = .scaleAspectFill }
    }

    /// Sets the transition to an image from the network; with `forceTransition(_:)`, to any image.
    public func loadTransition(_ transition: ImageTransition) -> Self {
        setting(\.transition, to: transition)
    }
}

extension KFImageProtocol {
    /// Starts the load when the view is made, not when it appears on screen.
    public func startLoadingBeforeViewAppear(_ flag: Bool = true) -> Self {
        changing { $0.startsBeforeAppearing = flag }
    }

    /// Cancels the load when the view leaves the screen before the image is loaded, or when the view is
    /// updated to another image. The load starts again when the view returns.
    public func cancelOnDisappear(_ flag: Bool) -> Self {
        changing { $0.cancelsOnDisappearing = flag }
    }

    /// Has no effect. It exists for source compatibility: the download of a view that has left the screen is
    /// always lowered in priority.
    public func reducePriorityOnDisappear(_ flag: Bool) -> Self { self }
}
