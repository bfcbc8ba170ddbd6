public import CGtk
public import Kingfisher

/// Shows images in a widget that the program has created: a GtkPicture, a GtkImage or a GtkButton.
///
///     let image = gtk_picture_new()!
///     image.kf?.setImage(with: url)
///
/// It lives as long as the widget. A load that ends after the widget is destroyed completes with
/// `notCurrentSourceTask` and shows nothing.
@MainActor public final class ExistingWidget {
    /// By the address of the widget; an entry is removed when its widget is disposed of.
    private static var all: [UnsafeMutablePointer<GtkWidget>: ExistingWidget] = [:]

    /// The image shown, with its size in points; a template takes the widget's foreground colour.
    ///
    /// Nil removes an image that was set here, but not content that the program has set since. A GtkPicture
    /// takes the size of its image; a GtkImage keeps its icon size. In a GtkButton the image replaces the
    /// label or child until the image is nil again.
    public var image: Image? {
        didSet { if image !== oldValue { updateWidget() } }
    }

    /// Nil after GTK has disposed of the widget.
    private var widget: UnsafeMutablePointer<GtkWidget>?
    private let surface: any ImageSurface

    /// The object for `widget`, the same one each time; nil if `widget` is of another class.
    public static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> ExistingWidget? {
        if let known = all[widget] { return known }
        guard let surface = surface(of: widget) else { return nil }
        let new = ExistingWidget(widget, surface)
        all[widget] = new
        g_object_weak_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self),
            { _, object in
                let widget = UnsafeMutableRawPointer(object!).assumingMemoryBound(to: GtkWidget.self)
                ExistingWidget.all.removeValue(forKey: widget)?.widget = nil
            }, nil)
        let didMap: @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { widget, _ in
            let mapped = ExistingWidget.all[widget]
            // Not inside the signal: the image may change the widget.
            Task { mapped?.kf.checkFile() }
        }
        g_signal_connect_data(
            UnsafeMutableRawPointer(widget), "map", unsafeBitCast(didMap, to: GCallback.self), nil, nil,
            GConnectFlags(rawValue: 0))
        return new
    }

    private static func surface(of widget: UnsafeMutablePointer<GtkWidget>) -> (any ImageSurface)? {
        let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
        func isA(_ type: GType) -> Bool { g_type_check_instance_is_a(instance, type) != 0 }
        return if isA(gtk_picture_get_type()) {
            GtkPictureSurface(image: OpaquePointer(widget))
        } else if isA(gtk_image_get_type()) {
            IconSurface(image: OpaquePointer(widget))
        } else if isA(gtk_button_get_type()) {
            ButtonSurface(
                button: UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self))
        } else {
            nil
        }
    }

    private init(_ widget: UnsafeMutablePointer<GtkWidget>, _ surface: any ImageSurface) {
        self.widget = widget
        self.surface = surface
    }

    private func updateWidget() {
        guard widget != nil else { return }
        guard let image else { return surface.clear() }
        let content = ImageContent(image) { [weak self] in self?.widget.map(ImageStyle.init(of:)) }
        surface.show(Paintable(content))
    }
}

extension ExistingWidget: KingfisherHasImageComponent {}

extension UnsafeMutablePointer<GtkWidget> {
    /// The Kingfisher members of a GtkPicture, GtkImage or GtkButton; nil for other widgets.
    @MainActor public var kf: KingfisherWrapper<ExistingWidget>? {
        ExistingWidget.of(self)?.kf
    }
}
