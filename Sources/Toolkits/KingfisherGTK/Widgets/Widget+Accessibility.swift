import CGtk
import Kingfisher

extension UnsafeMutablePointer<GtkWidget> {
    /// Creates a widget of class `type` with a floating reference. GTK fixes the role of a widget when it is
    /// first shown, so it is passed on construction.
    @MainActor static func make(_ type: GType, _ role: ViewAccessibility.Role) -> Self {
        var value = GValue()
        g_value_init(&value, gtk_accessible_role_get_type())
        g_value_set_enum(&value, gint(role.gtkRole.rawValue))
        let object = "accessible-role".withCString { name in
            // Swift cannot call the variadic `g_object_new`.
            var names: [UnsafePointer<CChar>?] = [name]
            return g_object_new_with_properties(type, 1, &names, &value)
        }
        return UnsafeMutableRawPointer(object!).assumingMemoryBound(to: GtkWidget.self)
    }

    /// Call it again after each change of visibility and after mapping, with which GTK changes the hidden
    /// state.
    @MainActor func describe(_ accessibility: ViewAccessibility) {
        // GTK names a button by its content, and other widgets without a label by their class.
        let unnamed = accessibility.role == .button ? nil : ""
        kf_gtk_set_accessible_label(self, accessibility.label?.withoutNUL ?? unnamed)
        kf_gtk_set_accessible_description(self, accessibility.description?.withoutNUL)
        kf_gtk_set_accessible_state(self, GTK_ACCESSIBLE_STATE_BUSY, accessibility.isBusy ? 1 : 0)
        let isHidden = accessibility.isDecorative || gtk_widget_get_visible(self) == 0
        kf_gtk_set_accessible_state(self, GTK_ACCESSIBLE_STATE_HIDDEN, isHidden ? 1 : 0)
    }
}

extension ViewAccessibility.Role {
    fileprivate var gtkRole: GtkAccessibleRole {
        switch self {
        case .image: GTK_ACCESSIBLE_ROLE_IMG
        case .button: GTK_ACCESSIBLE_ROLE_BUTTON
        case .progress: GTK_ACCESSIBLE_ROLE_PROGRESS_BAR
        case .group: GTK_ACCESSIBLE_ROLE_GROUP
        }
    }
}
