import CGtk
import Foundation
import Kingfisher
import KingfisherImage
import TestHelpers
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Wheel, fingers, pointer and keys over a zoomable image.
    @Suite(.serialized) @MainActor struct ZoomInput {
        /// 4,200 x 1,800 pixels in 700 x 600 points: all of it is visible at a sixth.
        private func rig() async throws -> ZoomRig {
            try await ZoomRig(SyntheticTiles(width: 4200, height: 1800) { _, _ in [1, 2, 3, 255] })
        }

        private func isClose(_ one: CGPoint, _ other: CGPoint) -> Bool {
            abs(one.x - other.x) < 1e-6 && abs(one.y - other.y) < 1e-6
        }

        @Test("The wheel zooms at the pointer, four notches to twice the size")
        func wheel() async throws {
            let rig = try await rig()
            rig.view.zoomToActualSize()
            try rig.point(100, 500)
            let point = try rig.viewport.imagePoint(at: CGPoint(x: 100, y: 500))
            for _ in 0..<4 { #expect(try rig.wheel(-1)) }
            #expect(abs(rig.view.zoom - 2) < 1e-9)
            #expect(isClose(try rig.viewport.imagePoint(at: CGPoint(x: 100, y: 500)), point))
            for _ in 0..<40 { try rig.wheel(1) }
            #expect(rig.view.zoom == 1.0 / 6 && rig.view.isFitted)
        }

        @Test("An empty view leaves wheel and keys to others")
        func emptyView() async throws {
            let rig = try await rig()
            rig.view.canvas.show(nil)
            #expect(try !rig.wheel(-1))
            #expect(try !rig.key(GDK_KEY_plus) && !rig.key(GDK_KEY_Left))
            #expect(rig.view.zoom == 1)
        }

        private nonisolated static let none = GdkModifierType(rawValue: 0)

        @Test(
            "The wheel zooms, with Shift it scrolls; two fingers scroll, with Control they zoom",
            arguments: [
                (GDK_SCROLL_UNIT_WHEEL, none, 2, .zoom(steps: -2)),
                (GDK_SCROLL_UNIT_WHEEL, GDK_CONTROL_MASK, -1, .zoom(steps: 1)),
                (GDK_SCROLL_UNIT_WHEEL, GDK_SHIFT_MASK, 1, nil),
                (GDK_SCROLL_UNIT_WHEEL, none, 0, nil),
                (GDK_SCROLL_UNIT_SURFACE, none, 30, nil),
                (GDK_SCROLL_UNIT_SURFACE, GDK_CONTROL_MASK, -60, .zoom(steps: 2)),
            ] as [(GdkScrollUnit, GdkModifierType, Double, ZoomCommand?)])
        func scrollUnits(
            unit: GdkScrollUnit, modifiers: GdkModifierType, dy: Double, command: ZoomCommand?
        ) {
            #expect(ZoomCommand(scrolling: dy, unit: unit, modifiers: modifiers) == command)
        }

        @Test("A pinch zooms between the fingers from its start")
        func pinch() async throws {
            let rig = try await rig()
            rig.view.setZoom(0.5)
            try rig.point(200, 100)
            let point = try rig.viewport.imagePoint(at: CGPoint(x: 200, y: 100))
            try rig.pinch(1.5, 3, 4)
            #expect(rig.view.zoom == 2)
            #expect(isClose(try rig.viewport.imagePoint(at: CGPoint(x: 200, y: 100)), point))
            try rig.pinch(0.5)
            #expect(rig.view.zoom == 1)
        }

        @Test("Dragging moves the image with the pointer, up to its edges")
        func drag() async throws {
            let rig = try await rig()
            rig.view.zoomToActualSize()
            let start = try rig.viewport.offset
            try rig.drag((5, 0), (30, -40))
            #expect(try rig.viewport.offset == CGPoint(x: start.x - 30, y: start.y + 40))
            try rig.drag((9000, 9000))
            #expect(try rig.viewport.offset == .zero)
            rig.view.zoomToFit()
            try rig.drag((30, 30))
            #expect(try rig.viewport.offset == .zero)
        }

        @Test("A double click toggles between all of the image and 1:1 at the pointer")
        func doubleClick() async throws {
            let rig = try await rig()
            let point = try rig.viewport.imagePoint(at: CGPoint(x: 300, y: 300))
            try rig.doubleClick(300, 300)
            #expect(rig.view.zoom == 1)
            #expect(isClose(try rig.viewport.imagePoint(at: CGPoint(x: 300, y: 300)), point))
            try rig.doubleClick(10, 10)
            #expect(rig.view.isFitted)
            rig.view.setZoom(3)
            try rig.doubleClick(10, 10)
            #expect(rig.view.isFitted)
        }

        @Test("Keys zoom, with and without Control")
        func zoomKeys() async throws {
            let rig = try await rig()
            let keys: [(Int32, Double)] = [
                (GDK_KEY_plus, exp2(0.25)), (GDK_KEY_equal, exp2(0.25)), (GDK_KEY_KP_Add, exp2(0.25)),
                (GDK_KEY_minus, exp2(-0.25)), (GDK_KEY_KP_Subtract, exp2(-0.25)),
                (GDK_KEY_0, 1.0 / 6), (GDK_KEY_KP_0, 1.0 / 6), (GDK_KEY_1, 1), (GDK_KEY_KP_1, 1),
            ]
            for (key, zoom) in keys {
                for modifiers in [Self.none, GDK_CONTROL_MASK] {
                    rig.view.zoomToActualSize()
                    #expect(try rig.key(key, modifiers))
                    #expect(abs(rig.view.zoom - zoom) < 1e-9)
                }
                #expect(try !rig.key(key, GDK_ALT_MASK))
            }
        }

        @Test("Keys scroll an image that is larger than the view, and are left to the window otherwise")
        func scrollKeys() async throws {
            let rig = try await rig()
            let keys: [(Int32, CGPoint)] = [
                (GDK_KEY_Left, CGPoint(x: 930, y: 600)), (GDK_KEY_Right, CGPoint(x: 1070, y: 600)),
                (GDK_KEY_Up, CGPoint(x: 1000, y: 540)), (GDK_KEY_KP_Down, CGPoint(x: 1000, y: 660)),
                (GDK_KEY_Page_Up, CGPoint(x: 1000, y: 60)), (GDK_KEY_Page_Down, CGPoint(x: 1000, y: 1140)),
                (GDK_KEY_Home, CGPoint(x: 0, y: 0)), (GDK_KEY_End, CGPoint(x: 3500, y: 1200)),
            ]
            for (key, offset) in keys {
                rig.view.zoomToFit()
                #expect(try !rig.key(key))
                rig.view.zoomToActualSize()
                rig.view.canvas.change { $0.scroll(to: CGPoint(x: 1000, y: 600)) }
                #expect(try rig.key(key))
                #expect(isClose(try rig.viewport.offset, offset))
                #expect(try !rig.key(key, GDK_CONTROL_MASK) && !rig.key(GDK_KEY_a))
            }
        }

        @Test("Zooming is reported once for each change, and described")
        func reports() async throws {
            let rig = try await rig()
            let first = rig.zooms.count
            rig.view.zoomToActualSize()
            rig.view.zoomToActualSize()
            rig.view.zoomIn()
            rig.view.zoomOut()
            rig.view.setZoom(2.504, at: .zero)
            #expect(rig.zooms.dropFirst(first) == [1, exp2(0.25), 1, 2.504])
        }

        @Test("Adjustments have the position in points, and move the image")
        func adjustments() async throws {
            let rig = try await rig()
            let window = OpaquePointer(rig.view.content)
            let horizontal = gtk_scrolled_window_get_hadjustment(window)
            let vertical = gtk_scrolled_window_get_vadjustment(window)
            #expect(gtk_adjustment_get_upper(horizontal) == gtk_adjustment_get_page_size(horizontal))
            rig.view.zoomToActualSize()
            #expect(gtk_adjustment_get_upper(horizontal) == 4200)
            #expect(gtk_adjustment_get_page_size(vertical) == 600)
            #expect(gtk_adjustment_get_value(horizontal) == 1750)
            gtk_adjustment_set_value(horizontal, 20)
            gtk_adjustment_set_value(vertical, 7.5)
            #expect(try rig.viewport.offset == CGPoint(x: 20, y: 7.5))
        }

        @Test("In a layout from right to left the adjustment counts from the right")
        func rightToLeft() async throws {
            let rig = try await rig()
            rig.view.zoomToActualSize()
            let horizontal = gtk_scrolled_window_get_hadjustment(OpaquePointer(rig.view.content))
            rig.view.canvas.change { $0.scroll(to: CGPoint(x: 100, y: 0)) }
            gtk_widget_set_direction(rig.view.canvas.widget, GTK_TEXT_DIR_RTL)
            #expect(gtk_adjustment_get_value(horizontal) == 3400)
            #expect(try rig.viewport.offset.x == 100)
            gtk_adjustment_set_value(horizontal, 0)
            #expect(try rig.viewport.offset.x == 3500)
            try rig.key(GDK_KEY_Left)
            #expect(abs(try rig.viewport.offset.x - 3430) < 1e-9)
            #expect(abs(gtk_adjustment_get_value(horizontal) - 70) < 1e-9)
        }
    }
}
