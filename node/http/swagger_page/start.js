// Keys typed into the page stay in its memory: nothing is stored, no validator is asked.
window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: "/core/v1/openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    persistAuthorization: false,
    validatorUrl: null,
    tryItOutEnabled: true,
  });
});
