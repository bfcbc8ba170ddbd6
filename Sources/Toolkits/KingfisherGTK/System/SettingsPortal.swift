import CGtk
import Foundation

/// The settings of the desktop's portal that concern views.
struct PortalValues: Equatable {
    private var flags: Set<Flag> = []

    private enum Flag {
        case reducedMotion, animationsOff, contrast, highContrast
    }

    var reducesMotion: Bool { flags.contains(.reducedMotion) || flags.contains(.animationsOff) }

    var isHighContrast: Bool { flags.contains(.contrast) || flags.contains(.highContrast) }

    /// The namespaces of the settings.
    static let groups = [
        "org.freedesktop.appearance", "org.gnome.desktop.interface", "org.gnome.desktop.a11y.interface",
    ]

    /// Records one setting; others have no effect. `number` is its value; of a boolean, 0 or 1.
    mutating func set(_ group: String, _ key: String, to number: UInt32) {
        switch (group, key) {
        case ("org.freedesktop.appearance", "reduced-motion"): set(.reducedMotion, number == 1)
        case ("org.freedesktop.appearance", "contrast"): set(.contrast, number == 1)
        case ("org.gnome.desktop.interface", "enable-animations"): set(.animationsOff, number == 0)
        case ("org.gnome.desktop.a11y.interface", "high-contrast"): set(.highContrast, number == 1)
        default: break
        }
    }

    private mutating func set(_ flag: Flag, _ isSet: Bool) {
        if isSet { flags.insert(flag) } else { flags.remove(flag) }
    }
}

/// Reads the settings of `org.freedesktop.portal.Settings`, and follows their changes.
///
/// Asynchronous: without a session bus or a portal, the values stay empty. The connection is separate from
/// GLib's shared one, which ends the process when the bus does, and which may start a bus.
@MainActor final class SettingsPortal {
    private var values = PortalValues()
    private let changed: (PortalValues) -> Void
    private var connection: OpaquePointer?

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.Settings"

    init(changed: @escaping (PortalValues) -> Void) {
        self.changed = changed
        guard let address = Self.busAddress else { return }
        // Retained until the answer arrives.
        g_dbus_connection_new_for_address(
            address, kf_gtk_message_bus_client, nil, nil, connected,
            Unmanaged.passRetained(self).toOpaque())
    }

    /// The session bus, if one is running.
    private static var busAddress: String? {
        let environment = ProcessInfo.processInfo.environment
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            return g_dbus_is_supported_address(address, nil) != 0 ? address : nil
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty,
            FileManager.default.fileExists(atPath: "\(folder)/bus")
        else { return nil }
        return "unix:path=\(folder)/bus"
    }

    fileprivate func connect(_ result: OpaquePointer?) {
        guard let connection = g_dbus_connection_new_for_address_finish(result, nil) else { return }
        self.connection = connection
        // Before reading, so that no change is missed. This object lives as long as the connection.
        _ = g_dbus_connection_signal_subscribe(
            connection, Self.name, Self.interface, "SettingChanged", Self.path, nil,
            GDBusSignalFlags(rawValue: 0), settingChanged, Unmanaged.passRetained(self).toOpaque(), nil)
        let groups = PortalValues.groups.map { "'\($0)'" }.joined(separator: ", ")
        let type = g_variant_type_new("(a{sa{sv}})")
        defer { g_variant_type_free(type) }
        g_dbus_connection_call(
            connection, Self.name, Self.path, Self.interface, "ReadAll",
            g_variant_parse(nil, "([\(groups)],)", nil, nil, nil), type, GDBusCallFlags(rawValue: 0),
            5_000, nil, settingsRead, Unmanaged.passRetained(self).toOpaque())
    }

    fileprivate func read(_ result: OpaquePointer?) {
        guard let connection,
            let reply = Variant(owning: g_dbus_connection_call_finish(connection, result, nil)),
            let groups = reply.children.first
        else { return }
        for group in groups.children.map(\.children) {
            guard group.count == 2, let name = group[0].text else { continue }
            for setting in group[1].children.map(\.children) where setting.count == 2 {
                record(name, setting[0], setting[1])
            }
        }
        changed(values)
    }

    /// Receives namespace, key and value.
    fileprivate func receive(_ parameters: OpaquePointer?) {
        let parts = Variant(owning: parameters.map { g_variant_ref($0) })?.children ?? []
        guard parts.count == 3, let group = parts[0].text else { return }
        record(group, parts[1], parts[2])
        changed(values)
    }

    private func record(_ group: String, _ key: Variant, _ value: Variant) {
        guard let key = key.text, let number = value.number else { return }
        values.set(group, key, to: number)
    }
}

private let connected: GAsyncReadyCallback = { _, result, data in
    nonisolated(unsafe) let (result, data) = (result, data)
    MainActor.assumeIsolated {
        Unmanaged<SettingsPortal>.fromOpaque(data!).takeRetainedValue().connect(result)
    }
}

private let settingsRead: GAsyncReadyCallback = { _, result, data in
    nonisolated(unsafe) let (result, data) = (result, data)
    MainActor.assumeIsolated {
        Unmanaged<SettingsPortal>.fromOpaque(data!).takeRetainedValue().read(result)
    }
}

private let settingChanged: GDBusSignalCallback = { _, _, _, _, _, parameters, data in
    nonisolated(unsafe) let (parameters, data) = (parameters, data)
    MainActor.assumeIsolated {
        Unmanaged<SettingsPortal>.fromOpaque(data!).takeUnretainedValue().receive(parameters)
    }
}

/// A reference to a GVariant. A variant in a variant is unwrapped.
private final class Variant {
    private let pointer: OpaquePointer

    /// Takes ownership of a reference; nil for NULL.
    init?(owning pointer: OpaquePointer?) {
        guard var pointer else { return nil }
        while g_variant_classify(pointer) == G_VARIANT_CLASS_VARIANT {
            let inner = g_variant_get_variant(pointer)!
            g_variant_unref(pointer)
            pointer = inner
        }
        self.pointer = pointer
    }

    deinit { g_variant_unref(pointer) }

    /// Empty for a value that is not a container.
    var children: [Variant] {
        guard g_variant_is_container(pointer) != 0 else { return [] }
        return (0..<g_variant_n_children(pointer)).compactMap {
            Variant(owning: g_variant_get_child_value(pointer, $0))
        }
    }

    var text: String? {
        guard g_variant_classify(pointer) == G_VARIANT_CLASS_STRING else { return nil }
        return String(cString: g_variant_get_string(pointer, nil))
    }

    /// Nil unless the value is a boolean or an unsigned number of 32 bits.
    var number: UInt32? {
        switch g_variant_classify(pointer) {
        case G_VARIANT_CLASS_BOOLEAN: g_variant_get_boolean(pointer) == 0 ? 0 : 1
        case G_VARIANT_CLASS_UINT32: g_variant_get_uint32(pointer)
        default: nil
        }
    }
}
