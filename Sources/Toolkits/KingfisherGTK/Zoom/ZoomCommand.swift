import CGtk
import Foundation
import Kingfisher

/// What a key or a wheel asks a zoomable image to do.
enum ZoomCommand: Equatable {
    case zoom(steps: Double)
    case fit
    case actualSize
    /// In pages: widths and heights of the view.
    case scroll(x: Double, y: Double)
    case scrollToStart
    case scrollToEnd

    /// The command of a key; nil for keys that the view leaves to the window.
    init?(key: guint, modifiers: GdkModifierType) {
        let isHeld: (GdkModifierType) -> Bool = { modifiers.rawValue & $0.rawValue != 0 }
        guard !isHeld(GDK_ALT_MASK), !isHeld(GDK_SUPER_MASK), let command = Self.keys[key] else { return nil }
        // GtkScrolledWindow has commands of its own for these keys with the control key.
        guard !isHeld(GDK_CONTROL_MASK) || !command.scrolls else { return nil }
        self = command
    }

    /// The command of a wheel, or of two fingers on a touchpad; nil if the scrolled window scrolls.
    ///
    /// - Parameter dy: notches of a wheel, or points of a touchpad; positive towards the user.
    init?(scrolling dy: Double, unit: GdkScrollUnit, modifiers: GdkModifierType) {
        let isTouchpad = unit == GDK_SCROLL_UNIT_SURFACE
        let zooms = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
        guard dy != 0, zooms || (!isTouchpad && modifiers.rawValue & GDK_SHIFT_MASK.rawValue == 0) else {
            return nil
        }
        self = .zoom(steps: isTouchpad ? -dy / 30 : -dy)
    }

    var scrolls: Bool {
        switch self {
        case .zoom, .fit, .actualSize: false
        case .scroll, .scrollToStart, .scrollToEnd: true
        }
    }

    /// What assistive technology tells about the keys, as WAI-ARIA writes them.
    static let keyShortcuts = "+ - 0 1"

    private static let keys: [guint: ZoomCommand] = {
        let keys: [(ZoomCommand, [Int32])] = [
            (.zoom(steps: 1), [GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add]),
            (.zoom(steps: -1), [GDK_KEY_minus, GDK_KEY_KP_Subtract]),
            (.fit, [GDK_KEY_0, GDK_KEY_KP_0]), (.actualSize, [GDK_KEY_1, GDK_KEY_KP_1]),
            (.scroll(x: -0.1, y: 0), [GDK_KEY_Left, GDK_KEY_KP_Left]),
            (.scroll(x: 0.1, y: 0), [GDK_KEY_Right, GDK_KEY_KP_Right]),
            (.scroll(x: 0, y: -0.1), [GDK_KEY_Up, GDK_KEY_KP_Up]),
            (.scroll(x: 0, y: 0.1), [GDK_KEY_Down, GDK_KEY_KP_Down]),
            (.scroll(x: 0, y: -0.9), [GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up]),
            (.scroll(x: 0, y: 0.9), [GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down]),
            (.scrollToStart, [GDK_KEY_Home, GDK_KEY_KP_Home]),
            (.scrollToEnd, [GDK_KEY_End, GDK_KEY_KP_End]),
        ]
        return Dictionary(
            uniqueKeysWithValues: keys.flatMap { command, keys in keys.map { (guint($0), command) } })
    }()
}

extension ZoomCanvas {
    /// Performs a command. Returns false if there is nothing to do, so that the window may use the key.
    func perform(_ command: ZoomCommand, at point: CGPoint? = nil) -> Bool {
        guard let viewport, !command.scrolls || canScroll else { return false }
        let (offset, view, limit) = (viewport.offset, viewport.viewSize, viewport.scrollableSize)
        switch command {
        case .zoom(let steps): zoom(to: viewport.zoom(steppedBy: steps), at: point)
        case .fit: change { $0.fit() }
        case .actualSize: zoom(to: 1, at: point)
        case .scroll(let x, let y):
            let target = CGPoint(x: offset.x + x * view.width, y: offset.y + y * view.height)
            change { $0.scroll(to: target) }
        case .scrollToStart: change { $0.scroll(to: .zero) }
        case .scrollToEnd: change { $0.scroll(to: CGPoint(x: limit.width, y: limit.height)) }
        }
        return true
    }
}
