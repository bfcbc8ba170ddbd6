import KingfisherGTK

@MainActor func personRow(name: String, role: String, avatar url: URL) -> View {
    let avatar = ImageView()
    avatar.alternativeText = ""  // The name is next to it.
    gtk_widget_set_size_request(avatar.widget, 48, 48)
    gtk_widget_set_valign(avatar.widget, GTK_ALIGN_CENTER)
    let size = CGSize(width: 48, height: 48)  // In points; the scale factor gives the pixels.
    let scale = CGFloat(gtk_widget_get_scale_factor(avatar.widget))
    KF.url(url)
        .resizing(referenceSize: size, mode: .aspectFill).cropping(size: size)
        .roundCorner(radius: .widthFraction(0.5)).serialize(as: .PNG)
        .scaleFactor(scale).fade(duration: 0.2).set(to: avatar)
    let (title, subtitle) = (Label(name), Label(role))
    title.textAlignment = .natural
    subtitle.textAlignment = .natural
    gtk_widget_add_css_class(title.content, "heading")
    gtk_widget_add_css_class(subtitle.content, "dim-label")
    let texts = column(title, subtitle, spacing: 2)
    gtk_widget_set_valign(texts.widget, GTK_ALIGN_CENTER)
    return column(avatar, texts, isRow: true)
}
