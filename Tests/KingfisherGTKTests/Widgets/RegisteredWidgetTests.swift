import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import Testing

/// A view of a program that is shown by a widget of its own; uses public API only.
@MainActor private class Meter: View {
    var value = 0.0 { didSet { renderer?.viewDidChange(.content) } }
}

@MainActor private final class ColoredMeter: Meter {}

@MainActor private final class MeterAdapter: WidgetAdapter {
    init(_ meter: Meter) {
        super.init(gtk_level_bar_new(), of: meter)
        viewDidChange(.content)
    }

    override func viewDidChange(_ change: ViewChange) {
        if let meter = view as? Meter { gtk_level_bar_set_value(OpaquePointer(widget), meter.value) }
        super.viewDidChange(change)
    }

    var shown: Double { gtk_level_bar_get_value(OpaquePointer(widget)) }
}

extension GTKTests {
    @Suite(.serialized) @MainActor struct RegisteredWidgets {
        @Test("A registered class of views and its subclasses have the widgets of their adapter")
        func registration() throws {
            let before = Meter()
            #expect(gtk_level_bar_get_type() != before.widget.pointee.type)
            var made = 0
            WidgetAdapter.register(
                { (meter: Meter) in
                    Issue.record("The adapter of the first registration is made")
                    return MeterAdapter(meter)
                }, for: Meter.self)
            WidgetAdapter.register(
                { (meter: Meter) in
                    made += 1
                    return MeterAdapter(meter)
                }, for: Meter.self)
            for meter in [Meter(), ColoredMeter()] {
                meter.value = 0.25
                #expect(meter.widget.pointee.type == gtk_level_bar_get_type())
                let adapter = try #require(meter.renderer as? MeterAdapter)
                #expect(adapter.shown == 0.25)
                meter.value = 0.75
                #expect(adapter.shown == 0.75)
                meter.isHidden = true
                #expect(gtk_widget_get_visible(adapter.widget) == 0)
            }
            #expect(made == 2, "one adapter for each view")
            #expect(before.renderer is MeterAdapter == false)
        }

        @Test("Registered widgets are subviews, shown and drawn with their superview")
        func subview() async throws {
            WidgetAdapter.register(MeterAdapter.init, for: Meter.self)
            let (window, box, meter) = (TestWindow(width: 80, height: 40), View(), Meter())
            meter.value = 1
            box.addSubview(meter)
            try #require(await window.present(box))
            #expect(gtk_widget_get_width(meter.widget) == 80 && meter.bounds.width == 80)
            #expect(try await Screenshot.take(of: box).box { $0 != "00000000" } != nil)
        }
    }
}

extension GtkWidget {
    /// The type of the instance.
    fileprivate var type: GType { parent_instance.g_type_instance.g_class.pointee.g_type }
}
