import CGtk
import Kingfisher

@MainActor final class ButtonAdapter: ContainerAdapter {
    private let button: UnsafeMutablePointer<GtkWidget>
    private let face = ButtonFace()
    private let clicks: SignalConnection
    private let flags: SignalConnection

    private var model: Button? { view as? Button }

    init(_ view: Button) {
        button = gtk_button_new()
        let object = UnsafeMutableRawPointer(button)
        g_object_ref_sink(object)
        clicks = SignalConnection(adopting: object)
        flags = SignalConnection(adopting: g_object_ref(object))
        super.init(view, wrapping: button)
        gtk_widget_set_overflow(button, GTK_OVERFLOW_HIDDEN)
        gtk_button_set_child(object.assumingMemoryBound(to: GtkButton.self), face.widget)
        let data = Unmanaged.passUnretained(self).toOpaque()
        clicks.connect("clicked", to: unsafeBitCast(clicked, to: GCallback.self), data)
        flags.connect("state-flags-changed", to: unsafeBitCast(flagsChanged, to: GCallback.self), data)
        updateButton()
    }

    override var accessibleWidget: UnsafeMutablePointer<GtkWidget> { button }

    override func viewDidChange(_ change: ViewChange) {
        if change == .content || change == .size { updateButton() }
        super.viewDidChange(change)
    }

    fileprivate func click() {
        model?.sendActions()
    }

    fileprivate func followFlags() {
        guard let model else { return }
        let flags = gtk_widget_get_state_flags(button).rawValue
        model.isHighlighted = flags & GTK_STATE_FLAG_ACTIVE.rawValue != 0
        model.isFocused = flags & GTK_STATE_FLAG_FOCUSED.rawValue != 0
    }

    private func updateButton() {
        guard let model else { return }
        gtk_widget_set_sensitive(button, model.isEnabled ? 1 : 0)
        set(GTK_STATE_FLAG_ACTIVE, model.isHighlighted)
        set(GTK_STATE_FLAG_CHECKED, model.isSelected)
        let hasBackground = model.currentBackgroundImage != nil
        StyleClass.set(StyleClass.filled, of: button, hasBackground)
        StyleClass.set("image-button", of: button, !hasBackground && model.title == nil)
        face.show(model)
    }

    /// Sets only a flag that differs: GTK reports each change of a flag, and this runs in response.
    private func set(_ flag: GtkStateFlags, _ isSet: Bool) {
        let isSetNow = gtk_widget_get_state_flags(button).rawValue & flag.rawValue != 0
        guard isSet != isSetNow else { return }
        if isSet {
            gtk_widget_set_state_flags(button, flag, 0)
        } else {
            gtk_widget_unset_state_flags(button, flag)
        }
    }
}

private let clicked: @convention(c) (UnsafeMutableRawPointer?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated { Unmanaged<ButtonAdapter>.fromOpaque(data!).takeUnretainedValue().click() }
}

private let flagsChanged: @convention(c) (UnsafeMutableRawPointer?, GtkStateFlags, gpointer?) -> Void = {
    _, _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<ButtonAdapter>.fromOpaque(data!).takeUnretainedValue().followFlags()
    }
}
