import CGtk
import Foundation
public import Kingfisher
public import KingfisherGTK

/// A window whose views `scripts/check-desktop` examines from another process, through the desktop's
/// services.
@MainActor enum DesktopWindow {
    /// Shows two views that load the image at `url`, a decorative view and two buttons.
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
        for view in [photo, captioned, decoration, button, icon] { root.addSubview(view) }
        app.showWindow(title: "Desktop", size: CGSize(width: 320, height: 240), content: root)
        decoration.isHidden = false
        photo.kf.setImage(with: url)
        captioned.kf.setImage(with: url, placeholder: Label("Loading"))
        WindowProgram.report("open")
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
