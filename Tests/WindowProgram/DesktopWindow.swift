import CGtk
import Foundation
public import Kingfisher
public import KingfisherGTK

/// A window whose views `Tests/Desktop/check-desktop` examines from another process, through the desktop's
/// services.
@MainActor enum DesktopWindow {
    /// Shows views that load the image at `url`, a decorative view and two other buttons.
    static func show(in app: Application, loading url: URL?) {
        let root = Root()
        let photo = ImageView()
        photo.alternativeText = "A cat"
        photo.kf.indicatorType = .activity
        let captioned = ImageView()
        let decoration = ImageView()
        decoration.alternativeText = ""
        decoration.addSubview(Label("Hidden"))
        decoration.isHidden = true
        let button = Button(title: "Open")
        button.onClick = { WindowProgram.report("clicked") }
        let icon = Button()
        icon.alternativeText = "Settings"
        let animation = AnimatedImageView()
        animation.alternativeText = "A wave"
        let declared = KFImage(url).placeholder { Label("Waiting") }.makeView()
        let album = Button(title: "Album")
        let map = ZoomableImageView()
        map.alternativeText = "A map"
        let views = [
            photo, captioned, decoration, button, icon, animation, declared, album, list(loading: url), map,
        ]
        for view in views { root.addSubview(view) }
        app.showWindow(title: "Desktop", size: CGSize(width: 320, height: 240), content: root)
        decoration.isHidden = false
        photo.kf.setImage(with: url)
        captioned.kf.setImage(with: url, placeholder: Label("Loading"))
        animation.kf.setImage(with: url, placeholder: .blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        album.kf.setImage(with: url, for: .normal)
        map.setImage(with: url?.convertToSource())
        WindowProgram.report("open")
    }

    /// A GtkListView with one cell.
    private static func list(loading url: URL?) -> View {
        let cells = CellFactory { view, position in
            view.alternativeText = "Row \(position)"
            view.kf.setImage(with: url)
        }
        let items = gtk_string_list_new(nil)
        gtk_string_list_append(items, "")
        let list = gtk_list_view_new(gtk_no_selection_new(items), cells.makeFactory())!
        kf_gtk_set_accessible_label(list, "Photos")
        return WidgetView(wrapping: list)
    }

    /// Prints each change of the user's settings.
    private final class Root: View {
        override func environmentDidChange() {
            super.environmentDidChange()
            let appearance = environment.appearance
            WindowProgram.report(
                "motion \(environment.reducesMotion ? "off" : "on"), \(appearance.isDark ? "dark" : "light"), "
                    + "\(appearance.isHighContrast ? "high" : "normal") contrast")
        }
    }
}

extension Label: Placeholder {}
