import CGtk
import Foundation

/// Removes itself from `DesktopSettings` at its end.
@MainActor protocol PaintableContent: EnvironmentObserver {
    /// Set by `Paintable`; not retained: the paintable retains its content.
    var paintable: OpaquePointer? { get set }

    /// The preferred size in points; zero for no preference.
    var size: CGSize { get }

    func draw(on snapshot: OpaquePointer, size: CGSize)
}

extension PaintableContent {
    /// Redraws the content, because an image may have a variant for the new settings.
    func environmentMayHaveChanged() {
        if let paintable { gdk_paintable_invalidate_contents(paintable) }
    }
}

/// Holds a GdkPaintable that a Swift object draws, for every place where GTK takes an image.
///
/// The paintable retains its content, and GTK retains the paintable while it is shown. Content that retains
/// this object makes a cycle.
@MainActor final class Paintable {
    private let pointer: OpaquePointer

    init(_ content: any PaintableContent) {
        pointer = PaintableClass.makePaintable(showing: content)
        content.paintable = pointer
        DesktopSettings.shared.add(content)
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// The content of `paintable`, which must have been created by this class.
    static func content(of paintable: OpaquePointer) -> (any PaintableContent)? {
        PaintableClass.content(of: paintable)
    }

    /// Calls `body` with the paintable; GTK takes a reference if it stores the pointer.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointer) }
    }
}

/// The GObject class of `Paintable`, registered from Swift: a GObject followed by one retained pointer to its
/// content.
@MainActor private enum PaintableClass {
    static func makePaintable(showing content: any PaintableContent) -> OpaquePointer {
        let object = UnsafeMutableRawPointer(g_object_new_with_properties(type, 0, nil, nil)!)
        slot(of: object).pointee = Unmanaged.passRetained(PaintableSlot(content)).toOpaque()
        return OpaquePointer(object)
    }

    static func content(of paintable: OpaquePointer?) -> (any PaintableContent)? {
        guard let paintable, let box = slot(of: UnsafeMutableRawPointer(paintable)).pointee else {
            return nil
        }
        return Unmanaged<PaintableSlot>.fromOpaque(box).takeUnretainedValue().content
    }

    nonisolated static func slot(
        of object: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (object + MemoryLayout<GObject>.size).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    private static let type: GType = {
        // The size of GObject is part of its ABI, unlike the sizes of widgets.
        var info = GTypeInfo()
        info.class_size = guint16(MemoryLayout<GObjectClass>.size)
        info.instance_size =
            guint16(MemoryLayout<GObject>.size) + guint16(MemoryLayout<UnsafeMutableRawPointer?>.size)
        info.class_init = { classPointer, _ in PaintableVirtuals.install(inClass: classPointer!) }
        let type = g_type_register_static(
            g_type_from_name("GObject"), "KingfisherPaintable", &info, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo()
        interface.interface_init = { table, _ in PaintableVirtuals.install(inInterface: table!) }
        g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
        return type
    }()
}

/// Boxes the content, because a C pointer cannot hold an existential.
private final class PaintableSlot {
    let content: any PaintableContent

    init(_ content: any PaintableContent) {
        self.content = content
    }
}

/// GTK calls every function except `finalize` on the main thread.
private enum PaintableVirtuals {
    nonisolated(unsafe) static var parentClass: UnsafeMutablePointer<GObjectClass>!

    static func install(inClass classPointer: UnsafeMutableRawPointer) {
        parentClass = g_type_class_peek_parent(classPointer).assumingMemoryBound(to: GObjectClass.self)
        classPointer.assumingMemoryBound(to: GObjectClass.self).pointee.finalize = finalize
    }

    static func install(inInterface table: UnsafeMutableRawPointer) {
        let interface = table.assumingMemoryBound(to: GdkPaintableInterface.self)
        interface.pointee.snapshot = snapshot
        interface.pointee.get_intrinsic_width = {
            Int32(points: PaintableVirtuals.size(of: $0).width.rounded(.up))
        }
        interface.pointee.get_intrinsic_height = {
            Int32(points: PaintableVirtuals.size(of: $0).height.rounded(.up))
        }
        interface.pointee.get_current_image = currentImage
    }

    static let finalize: @convention(c) (UnsafeMutablePointer<GObject>?) -> Void = { object in
        if let box = PaintableClass.slot(of: UnsafeMutableRawPointer(object!)).pointee {
            Unmanaged<PaintableSlot>.fromOpaque(box).release()
        }
        parentClass.pointee.finalize(object)
    }

    static let snapshot: @convention(c) (OpaquePointer?, OpaquePointer?, Double, Double) -> Void = {
        nonisolated(unsafe) let (paintable, snapshot) = ($0, $1)
        let size = CGSize(width: $2, height: $3)
        MainActor.assumeIsolated {
            if let snapshot { PaintableClass.content(of: paintable)?.draw(on: snapshot, size: size) }
        }
    }

    static func size(of paintable: OpaquePointer?) -> CGSize {
        nonisolated(unsafe) let paintable = paintable
        return MainActor.assumeIsolated { PaintableClass.content(of: paintable)?.size ?? .zero }
    }

    /// A static copy of the current content; GDK has no default for paintables that change.
    static let currentImage: @convention(c) (OpaquePointer?) -> OpaquePointer? = {
        nonisolated(unsafe) let paintable = $0
        nonisolated(unsafe) var image: OpaquePointer?
        MainActor.assumeIsolated {
            guard let content = PaintableClass.content(of: paintable), content.size.width.isFinite,
                content.size.height.isFinite
            else { return }
            let snapshot = gtk_snapshot_new()!
            content.draw(on: snapshot, size: content.size)
            var size = graphene_size_t(
                width: Float(content.size.width), height: Float(content.size.height))
            image = gtk_snapshot_free_to_paintable(snapshot, &size)
        }
        return image ?? gdk_paintable_new_empty(0, 0)
    }
}
