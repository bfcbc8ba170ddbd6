import CGtk
public import Foundation
public import Kingfisher

/// A view that zooms and pans an image of up to 1,000 megapixels, of which it holds only the visible tiles.
///
///     let view = ZoomableImageView()
///     view.alternativeText = "A map of the Moon"
///     view.setImage(with: .provider(LocalFileImageDataProvider(fileURL: url)))
///
/// All of the image is visible until the user zooms:
///
/// | input | effect |
/// | --- | --- |
/// | mouse wheel | zooms at the pointer; with Shift, scrolls sideways |
/// | two fingers on a touchpad | scroll; with Control, zoom at the pointer |
/// | pinch | zooms between the fingers, and moves with them |
/// | drag with the mouse or a finger | moves the image |
/// | double click | all of the image, or 1:1 at the pointer |
/// | `+` `=` and `-` | one step; four steps double the zoom |
/// | `0` and `1` | all of the image; 1:1 |
/// | arrows, Page Up and Down, Home, End | scroll; the window gets the key if nothing is hidden |
///
/// Tiles that are not decoded yet are shown from a smaller copy. Pixels stay sharp from a zoom of 2 up with
/// GTK 4.10 or later; earlier versions interpolate. After a change of size the view still shows all of the
/// image if it did before, and otherwise the same point in its centre. Layouts from right to left do not
/// mirror it.
///
/// The content is a GtkScrolledWindow, whose adjustments a program may read and change. Its style class is
/// `kingfisher-zoom`, with a dark background; the node of the image is `kingfisherzoom`.
///
/// Decoded tiles take at most 64 MiB, or as much as the visible ones need on a larger display. They are
/// released with the image; while the view is not on screen, nothing is decoded.
@MainActor public final class ZoomableImageView: WidgetView {
    /// The image; setting it shows all of it, and replaces a load.
    public var image: TiledImage? {
        get { shownImage }
        set {
            currentLoad?.cancel()
            currentLoad = nil
            show(newValue)
        }
    }

    /// Device pixels per image pixel: 1 is 1:1, also on displays with a scale. It is 1 without an image.
    public var zoom: Double { canvas.viewport?.zoom ?? 1 }

    /// Whether all of the image is visible, and stays so when the view changes its size.
    public var isFitted: Bool { canvas.viewport?.isFitted ?? true }

    /// Called on the main thread for the first error of an image that is shown. What is visible stays.
    ///
    /// Errors of ``setImage(with:options:completionHandler:)`` before the image is shown are passed to its
    /// completion handler only.
    public var onFailure: ((KingfisherError) -> Void)?

    /// Called on the main thread after ``zoom`` has changed, also by a change of the view's size.
    public var onZoomChange: ((Double) -> Void)?

    let canvas: ZoomCanvas
    private let gestures: ZoomGestures
    private var shownImage: TiledImage?
    private var currentLoad: Task<Void, Never>?

    /// Creates a view without an image. GTK must be initialised.
    public init() {
        canvas = ZoomCanvas()
        gestures = ZoomGestures(canvas)
        let window = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_child(OpaquePointer(window), canvas.widget)
        // The image has the focus; a window around it would be one more stop of the Tab key.
        gtk_widget_set_focusable(window, 0)
        StyleClass.set(StyleClass.zoom, of: window, true)
        super.init(wrapping: window)
        kf_gtk_set_accessible_key_shortcuts(canvas.widget, ZoomCommand.keyShortcuts)
        canvas.onReady = { [weak self] in self?.accessibilityDidChange() }
        canvas.onFailure = { [weak self] in self?.onFailure?($0) }
        canvas.onZoomChange = { [weak self] zoom in
            self?.accessibilityDidChange()
            self?.onZoomChange?(zoom)
        }
    }

    isolated deinit {
        currentLoad?.cancel()
        canvas.show(nil)
    }

    /// Opens an image and shows it.
    ///
    /// A local file is opened in place; other sources are loaded into the disk cache first. The view is empty
    /// until then, or keeps its image with the option `keepCurrentImageWhileLoading`. An earlier load
    /// completes with `notCurrentSourceTask`, also if the view is released or ``image`` is set.
    ///
    /// - Parameters:
    ///   - source: the source of the image; nil shows nothing and completes with `emptySource`.
    ///   - options: added to the manager's `defaultOptions`; see ``TiledImage/open(_:options:manager:)``.
    ///   - completionHandler: called once, on the main thread, when the image is open, which is before it
    ///     is decoded.
    public func setImage(
        with source: Source?, options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<TiledImage, KingfisherError>) -> Void)? = nil
    ) {
        currentLoad?.cancel()
        currentLoad = nil
        guard let source else {
            show(nil)
            completionHandler?(.failure(.imageSettingError(reason: .emptySource)))
            return
        }
        let parsed = KingfisherParsedOptionsInfo(options)
        if !parsed.keepCurrentImageWhileLoading { show(nil) }
        currentLoad = Task { [weak self] in
            let result = await openImage(source, options, parsed.manager ?? .shared)
            // Set by the call that supersedes this one, and when the view is released.
            let isCurrent = !Task.isCancelled && self != nil
            if isCurrent { self?.finishLoad(with: result) }
            completionHandler?(isCurrent ? result : .failure(.superseded(result, source)))
        }
        accessibilityDidChange()
    }

    /// Zooms in by one step about the centre of the view; four steps double the zoom.
    public func zoomIn() { _ = canvas.perform(.zoom(steps: 1)) }

    /// Zooms out by one step about the centre of the view, at most until all of the image is visible.
    public func zoomOut() { _ = canvas.perform(.zoom(steps: -1)) }

    /// Shows all of the image, but not larger than 1:1.
    public func zoomToFit() { _ = canvas.perform(.fit) }

    /// Shows one device pixel for each pixel of the image.
    public func zoomToActualSize() { _ = canvas.perform(.actualSize) }

    /// Sets the zoom, at least that at which all of the image is visible, and at most 20.
    ///
    /// - Parameter point: the point of the view, in points, at which the image does not move; nil is the
    ///   centre.
    public func setZoom(_ zoom: Double, at point: CGPoint? = nil) { canvas.zoom(to: zoom, at: point) }

    /// Gives the keyboard focus to the image, as a click does. The view must be in a window.
    public func grabFocus() { gtk_widget_grab_focus(canvas.widget) }

    /// The zoom is the description: assistive technology reports its changes.
    public override var accessibility: ViewAccessibility {
        let description = canvas.viewport.map { "\(Int(($0.zoom * 100).rounded())) %" }
        let isBusy = currentLoad != nil || canvas.loader?.isWaiting == true
        return ViewAccessibility(
            role: .image, label: alternativeText, isBusy: isBusy, description: description)
    }

    /// Follows the size and the scale of the display.
    public override func displayDidChange() {
        super.displayDidChange()
        if let display = renderer?.display { canvas.displayDidChange(display) }
    }

    private func finishLoad(with result: Result<TiledImage, KingfisherError>) {
        currentLoad = nil
        switch result {
        case .success(let image): show(image)
        case .failure: accessibilityDidChange()
        }
    }

    private func show(_ image: TiledImage?) {
        shownImage = image
        canvas.show(image)
        accessibilityDidChange()
    }
}

private nonisolated func openImage(
    _ source: Source, _ options: KingfisherOptionsInfo?, _ manager: KingfisherManager
) async -> Result<TiledImage, KingfisherError> {
    do {
        return .success(try await TiledImage.open(source, options: options, manager: manager))
    } catch {
        return .failure(error)
    }
}

extension KingfisherError {
    fileprivate static func superseded(
        _ result: Result<TiledImage, KingfisherError>, _ source: Source
    ) -> KingfisherError {
        var cause: KingfisherError?
        if case .failure(let error) = result { cause = error }
        return .imageSettingError(reason: .notCurrentSourceTask(result: nil, error: cause, source: source))
    }
}
