import CGtk
import Foundation
import Kingfisher

/// What lies on a button: an image behind everything, and an image beside a title in the middle.
@MainActor final class ButtonFace {
    private let ground = View()
    private let background = ImageView()
    private let image = ImageView()
    private let title = Label("")
    private let row: WidgetView

    init() {
        let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)!
        row = WidgetView(wrapping: box)
        for part in [image, title] {
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), part.widget)
        }
        gtk_widget_set_halign(box, GTK_ALIGN_CENTER)
        image.contentMode = .scaleAspectFit
        ground.addSubview(background)
        ground.addSubview(row)
    }

    var widget: UnsafeMutablePointer<GtkWidget> { ground.widget }

    func show(_ button: Button) {
        background.image = button.currentBackgroundImage
        image.image = button.currentImage
        image.isHidden = image.image == nil
        title.text = button.title ?? ""
        title.isHidden = button.title == nil
        // Where no image is set for the state, the one for the normal state is made to look like it.
        let isOrdinary = background.image === button.backgroundImage(for: .normal)
        background.alpha =
            !button.isEnabled && isOrdinary ? 0.5 : button.isHighlighted && isOrdinary ? 0.75 : 1
        image.alpha = !button.isEnabled && image.image === button.image(for: .normal) ? 0.5 : 1
    }
}
