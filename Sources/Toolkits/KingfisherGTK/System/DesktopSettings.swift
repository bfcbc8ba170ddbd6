import CGtk
import Foundation
import Kingfisher

/// What the user's settings apply to, such as a view's widget.
@MainActor protocol EnvironmentObserver: AnyObject {
    func environmentMayHaveChanged()
}

/// The user's settings for motion and appearance, from GTK and from the desktop's portal. They are read once
/// and then followed; views and paintables are informed of changes.
@MainActor final class DesktopSettings {
    static let shared = DesktopSettings()

    private struct Observer {
        weak var object: (any EnvironmentObserver)?
    }

    private(set) var reducesMotion = false
    private(set) var appearance = ImageAppearance()
    private var observers: [ObjectIdentifier: Observer] = [:]
    private var connections: [SignalConnection] = []
    private var portal: SettingsPortal?
    /// The settings of the desktop's portal; empty without one.
    var portalValues = PortalValues() {
        didSet { update() }
    }

    private init() {
        let settings = UnsafeMutableRawPointer(gtk_settings_get_default())
        let data = Unmanaged.passUnretained(self).toOpaque()
        for name in ["gtk-enable-animations", "gtk-application-prefer-dark-theme", "gtk-theme-name"] {
            let connection = SignalConnection(adopting: settings.map { g_object_ref($0) })
            connection.connect("notify::\(name)", to: unsafeBitCast(changed, to: GCallback.self), data)
            connections.append(connection)
        }
        update()
        portal = SettingsPortal { [weak self] in self?.portalValues = $0 }
    }

    func environment(of widget: UnsafeMutablePointer<GtkWidget>) -> ViewEnvironment {
        ViewEnvironment(
            reducesMotion: reducesMotion, appearance: appearance,
            layoutDirection: gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
                ? .rightToLeft : .leftToRight)
    }

    func add(_ observer: any EnvironmentObserver) {
        observers[ObjectIdentifier(observer)] = Observer(object: observer)
    }

    func remove(_ observer: any EnvironmentObserver) {
        observers[ObjectIdentifier(observer)] = nil
    }

    fileprivate func update() {
        let before = (reducesMotion, appearance)
        if let settings = UnsafeMutableRawPointer(gtk_settings_get_default()) { read(settings) }
        guard before != (reducesMotion, appearance) else { return }
        // A view may remove others while it responds.
        for observer in observers.values { observer.object?.environmentMayHaveChanged() }
    }

    private func read(_ settings: UnsafeMutableRawPointer) {
        reducesMotion =
            kf_gtk_get_boolean(settings, "gtk-enable-animations") == 0 || portalValues.reducesMotion
        let theme = ThemeName(ThemeName.current(in: settings))
        appearance = ImageAppearance(
            isDark: theme.isDark || kf_gtk_get_boolean(settings, "gtk-application-prefer-dark-theme") != 0,
            isHighContrast: theme.isHighContrast || portalValues.isHighContrast)
    }
}

private let changed: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, gpointer?) -> Void =
    {
        _, _, data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
            Unmanaged<DesktopSettings>.fromOpaque(data!).takeUnretainedValue().update()
        }
    }

/// What the name of a GTK theme says about it: `Adwaita-dark`, `HighContrastInverse`, `Default-hc-dark` or,
/// in the variable GTK_THEME, `Adwaita:dark`.
struct ThemeName: Equatable {
    let isDark: Bool
    let isHighContrast: Bool

    init(_ name: String) {
        let parts = name.lowercased().split { "-:".contains($0) }
        isHighContrast = parts.contains { $0 == "hc" || $0.hasPrefix("highcontrast") }
        isDark = parts.dropFirst().contains("dark") || parts.contains("highcontrastinverse")
    }

    /// The variable has precedence, as in GTK.
    @MainActor static func current(in settings: UnsafeMutableRawPointer) -> String {
        if let name = ProcessInfo.processInfo.environment["GTK_THEME"], !name.isEmpty { return name }
        var value = GValue()
        g_value_init(&value, g_type_from_name("gchararray"))
        defer { g_value_unset(&value) }
        g_object_get_property(settings.assumingMemoryBound(to: GObject.self), "gtk-theme-name", &value)
        return g_value_get_string(&value).map { String(cString: $0) } ?? ""
    }
}
