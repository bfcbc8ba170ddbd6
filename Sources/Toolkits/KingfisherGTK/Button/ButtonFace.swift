import CGtk
import Foundation
import Kingfisher

@MainActor final class ButtonFace {
    private let container = View()
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
        // The button has a name, which includes the title.
        container.alternativeText = ""
        container.addSubview(background)
        container.addSubview(row)
    }

    var widget: UnsafeMutablePointer<GtkWidget> { container.widget }

    func show(_ button: Button) {
        background.image = button.currentBackgroundImage
        image.image = button.currentImage
        image.isHidden = image.image == nil
        title.text = button.title ?? ""
        title.isHidden = button.title == nil
        // An image of the normal state is dimmed to stand for a state without an image.
        let isNormalImage = background.image === button.backgroundImage(for: .normal)
        background.alpha =
            !button.isEnabled && isNormalImage ? 0.5 : button.isHighlighted && isNormalImage ? 0.75 : 1
        image.alpha = !button.isEnabled && image.image === button.image(for: .normal) ? 0.5 : 1
    }
}
