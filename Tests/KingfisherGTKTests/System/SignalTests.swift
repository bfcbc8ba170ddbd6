import CGtk
import KingfisherGTK
import Testing

extension GTKTests {
    @Suite @MainActor struct SignalTests {
        /// Sends a signal with at most one argument.
        private func emit(
            _ signal: String, by widget: UnsafeMutablePointer<GtkWidget>, number: UInt32? = nil
        ) {
            var arguments = [GValue()]
            g_value_init(&arguments[0], gtk_widget_get_type())
            g_value_set_object(&arguments[0], UnsafeMutableRawPointer(widget))
            if let number {
                var value = GValue()
                g_value_init(&value, g_type_from_name("guint"))
                g_value_set_uint(&value, number)
                arguments.append(value)
            }
            let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
            g_signal_emitv(
                arguments, g_signal_lookup(signal, instance.pointee.g_class.pointee.g_type), 0, nil)
            g_value_unset(&arguments[0])
        }

        @Test("Signals run their closures, with the number that they have")
        func signals() {
            let (button, grid) = (gtk_button_new()!, gtk_grid_view_new(nil, nil)!)
            for widget in [button, grid] { g_object_ref_sink(UnsafeMutableRawPointer(widget)) }
            defer { for widget in [button, grid] { g_object_unref(UnsafeMutableRawPointer(widget)) } }
            var numbers: [UInt32] = []
            #expect(button.onSignal("clicked") { numbers.append($0) })
            #expect(grid.onSignal("activate") { numbers.append($0) })
            emit("clicked", by: button)
            emit("activate", by: grid, number: 70_000)
            #expect(numbers == [0, 70_000])
        }

        @Test(
            "Signals that do not exist, return a value or have other arguments are refused",
            arguments: ["unknown", "close-request", "state-flags-changed", "direction-changed"])
        func refused(signal: String) {
            let window = gtk_window_new()!
            #expect(!window.onSignal(signal) { _ in })
            gtk_window_destroy(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self))
        }

        @Test("A key runs its closure, in its phase; a key that GTK does not know is refused")
        func keys() throws {
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
            g_object_ref_sink(UnsafeMutableRawPointer(box))
            defer { g_object_unref(UnsafeMutableRawPointer(box)) }
            var count = 0
            #expect(!box.onKey("no such key") { count += 1 })
            #expect(box.onKey("<Control>r", phase: GTK_PHASE_CAPTURE) { count += 1 })
            let controllers = gtk_widget_observe_controllers(box)
            defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
            #expect(g_list_model_get_n_items(controllers) == 1)
            let controller = OpaquePointer(try #require(g_list_model_get_item(controllers, 0)))
            defer { g_object_unref(UnsafeMutableRawPointer(controller)) }
            #expect(gtk_event_controller_get_propagation_phase(controller) == GTK_PHASE_CAPTURE)
            let shortcut = OpaquePointer(try #require(g_list_model_get_item(controller, 0)))
            defer { g_object_unref(UnsafeMutableRawPointer(shortcut)) }
            let trigger = gtk_shortcut_trigger_to_string(gtk_shortcut_get_trigger(shortcut))
            defer { g_free(trigger) }
            #expect(trigger.map { String(cString: $0) } == "<Control>r")
            let action = gtk_shortcut_get_action(shortcut)
            #expect(gtk_shortcut_action_activate(action, GtkShortcutActionFlags(rawValue: 0), box, nil) == 1)
            #expect(count == 1)
        }

        @Test("The closures live as long as the widget")
        func lifetime() async {
            final class Owned {}
            weak var (first, second): (Owned?, Owned?)
            let button = gtk_button_new()!
            g_object_ref_sink(UnsafeMutableRawPointer(button))
            do {
                let (one, two) = (Owned(), Owned())
                (first, second) = (one, two)
                button.onSignal("clicked") { _ in _ = one }
                button.onKey("Escape") { _ = two }
            }
            #expect(first != nil && second != nil)
            g_object_unref(UnsafeMutableRawPointer(button))
            #expect(await GTK.wait { first == nil && second == nil })
        }
    }
}
