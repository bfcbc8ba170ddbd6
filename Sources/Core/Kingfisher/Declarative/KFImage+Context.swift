import KingfisherConcurrency
import Foundation
import Synchronization

extension KFImage {
    /// What a `KFImageProtocol` value describes: source, options, handlers and appearance.
    ///
    /// Shared by the copies of a value that no modifier has changed. Safe from any thread.
    public final class Context<HoldingView: KFCrossPlatformImageView>: Sendable {
        /// The source of the image.
        public let source: Source?
        let settings: Settings
        private let storedOptions: Mutex<KingfisherParsedOptionsInfo>

        let onFailureDelegate: Delegate<KingfisherError, Void>
        let onSuccessDelegate: Delegate<RetrieveImageResult, Void>
        let onProgressDelegate: Delegate<(Int64, Int64), Void>

        init(source: Source?) {
            self.source = source
            settings = Settings()
            storedOptions = Mutex(KingfisherParsedOptionsInfo(defaultsOf: .shared))
            (onFailureDelegate, onSuccessDelegate, onProgressDelegate) = (Delegate(), Delegate(), Delegate())
        }

        private init(_ other: Context, settings: Settings) {
            source = other.source
            self.settings = settings
            storedOptions = Mutex(other.options)
            onFailureDelegate = other.onFailureDelegate.copy()
            onSuccessDelegate = other.onSuccessDelegate.copy()
            onProgressDelegate = other.onProgressDelegate.copy()
        }

        /// The options of the load.
        public var options: KingfisherParsedOptionsInfo {
            get { storedOptions.withLock { $0 } }
            set { storedOptions.set(\.self, to: newValue) }
        }

        func copy(changing change: (inout Settings) -> Void) -> Context {
            var settings = settings
            change(&settings)
            return Context(self, settings: settings)
        }
    }
}

extension KFImage.Context {
    /// What is shown while an image loads.
    enum Waiting: Sendable {
        case nothing
        /// A closure, because a placeholder may be a view, which is isolated to the main actor.
        case placeholder(@MainActor @Sendable () -> (any Placeholder)?)
        case view(@MainActor @Sendable (Progress) -> View, followsProgress: Bool)
    }

    /// What modifiers set in addition to options and handlers.
    struct Settings: Sendable {
        var waiting = Waiting.nothing
        var failureView: (@MainActor @Sendable () -> View)?
        var configurations: [@MainActor @Sendable (HoldingView) -> Void] = []
        var alternativeText: String?
        var isResizable = HoldingView.self is AnimatedImageView.Type
        /// The content mode of a resizable image.
        var scaling = ViewContentMode.scaleToFill
        var startsBeforeAppearing = false
        var cancelsOnDisappearing = false

        var contentMode: ViewContentMode { isResizable ? scaling : .center }
    }

    /// What decides which image is shown; a view whose value keeps it does not load again.
    struct Identity: Equatable {
        let source: Source?
        private let variant: ImageVariant
        /// An image of natural size is not decoded to the size of its view.
        private let fitsView: Bool

        init(_ context: KFImage.Context<HoldingView>) {
            let options = context.options
            source = context.source
            variant = options.imageVariant
            fitsView = options.decodesToViewSize && context.settings.isResizable
        }
    }
}
