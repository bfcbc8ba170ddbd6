public import Foundation

/// A description of an image view, by which a declarative toolkit shows images.
///
/// `KFImage` and `KFAnimatedImage` conform. A toolkit holds such values in its tree. For a new node it calls
/// `makeView()`, draws the view (see `ViewRenderer`), and keeps it. After each change of its state it passes
/// the view to `update(_:)` of the new value, which loads again only if the image is another one:
///
///     @MainActor func show(_ image: any KFImageProtocol, in old: ImageView?) -> ImageView {
///         if let old, image.update(old) { return old }
///         return image.makeView()
///     }
///
/// Values are immutable: each modifier returns a changed copy. They may be made on any thread; views are
/// made and updated on the main actor.
public protocol KFImageProtocol: KFOptionSetter, Sendable {
    /// The class of views that show the image.
    associatedtype HoldingView: KFCrossPlatformImageView

    /// What the value describes.
    var context: KFImage.Context<HoldingView> { get }

    /// Creates a value from the context of another one.
    init(context: KFImage.Context<HoldingView>)

    /// Creates a view without an image.
    @MainActor static func makeHoldingView() -> HoldingView
}

extension KFImageProtocol {
    /// Creates a view that shows the image.
    ///
    /// The load starts when the view appears on screen, or before this call returns if the image is in memory
    /// or `startLoadingBeforeViewAppear(_:)` is set. Handlers are never called during the call.
    @MainActor public func makeView() -> HoldingView {
        let view = Self.makeHoldingView()
        update(view)
        return view
    }

    /// Makes `view` show this value instead of the one it shows.
    ///
    /// If source, processor and decoding are the same, the image stays, and a running load continues; it
    /// reports to the handlers of the new value. Otherwise the old load is superseded, which calls no
    /// handler, and the placeholder is shown. Returns false, without a change, if `view` is not a
    /// `HoldingView` or belongs to another kind of value; the toolkit then calls `makeView()`.
    @MainActor @discardableResult
    public func update(_ view: KFCrossPlatformImageView) -> Bool {
        guard let view = view as? HoldingView else { return false }
        switch view.loading.binding {
        case nil: ImageBinder(context).bind(to: view)
        case let binder as ImageBinder<HoldingView>: binder.update(view, to: context)
        default: return false
        }
        return true
    }
}

extension KFImageProtocol {
    /// Describes the image of a source; nil shows the failure view and fails with `emptySource`.
    public init(source: Source?) {
        self.init(context: KFImage.Context(source: source))
    }

    /// Describes the image of a URL; see `init(source:)`.
    public init(_ url: URL?) {
        self.init(source: url?.convertToSource())
    }

    /// Describes the image of a source; see `init(source:)`.
    public static func source(_ source: Source?) -> Self {
        Self(source: source)
    }

    /// Describes the image of a resource; see `init(source:)`.
    public static func resource(_ resource: (any Resource)?) -> Self {
        source(resource?.convertToSource())
    }

    /// Describes the image of a URL, cached under `cacheKey`, by default the URL's key; see `init(source:)`.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> Self {
        source(url?.convertToSource(overrideCacheKey: cacheKey))
    }

    /// Describes the image of a data provider; see `init(source:)`.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> Self {
        source(provider?.convertToSource())
    }

    /// Describes the image in a file's bytes, cached under `cacheKey`; see `init(source:)`.
    public static func data(_ data: Data?, cacheKey: String) -> Self {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }
}

extension KFImageProtocol {
    /// The options of the load. Setting them changes all copies of the value; modifiers return a copy.
    public var options: KingfisherParsedOptionsInfo {
        get { context.options }
        nonmutating set { context.options = newValue }
    }

    /// Called on the main actor with the error of a failed load; its target is held weakly.
    public var onFailureDelegate: Delegate<KingfisherError, Void> { context.onFailureDelegate }

    /// Called on the main actor with the result of a successful load; its target is held weakly.
    public var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { context.onSuccessDelegate }

    /// Called on the main actor with bytes received and expected; its target is held weakly.
    public var onProgressDelegate: Delegate<(Int64, Int64), Void> { context.onProgressDelegate }

    /// Returns a copy that shares nothing with this value.
    public func copyForMutation() -> Self {
        changing { _ in }
    }

    func changing(_ change: (inout KFImage.Context<HoldingView>.Settings) -> Void) -> Self {
        Self(context: context.copy(changing: change))
    }
}
